// Whether the rounds of a loop may run in any order, and what has to be known at run time for that.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <optional>

namespace heddle::host {

/// Where a loop reads or writes: addresses from `low` to before `high`.
struct MemoryRange {
  const llvm::SCEV *low, *high;
};

/// Two ranges that must not overlap.
struct ApartRanges {
  MemoryRange one, other;
};

/// A number that must be at least 0 and at most another, both signed.
struct NumberInRange {
  const llvm::SCEV *number, *most;
};

/// What must hold when a loop is entered, so that no round reads or writes what another one writes.
struct Independence {
  llvm::SmallVector<ApartRanges> apart;
  llvm::SmallVector<NumberInRange> numbers;
  bool readsWhatItWrites = false; ///< a round does: run again, it may find something else
};

/// Nothing where nothing makes the rounds independent. The loop's instructions access memory by plain loads and stores
/// alone. An address is known if it grows evenly with the rounds of the loop and of those in it.
std::optional<Independence> independenceOf(llvm::Loop &loop, llvm::ScalarEvolution &evolution,
                                           llvm::AAResults &aliases);

/// How much an address grows with each round of `loop`; null where that is not known to be the same each time.
const llvm::SCEV *stepOver(const llvm::SCEV *address, const llvm::Loop &loop,
                           llvm::ScalarEvolution &evolution);

} // namespace heddle::host
