// Determines if a loop's iterations may run in any order, and the run-time checks for that.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <optional>

namespace heddle::host {

/// Addresses [low, high) that a loop reads or writes.
struct MemoryRange {
  const llvm::SCEV *low, *high;
};

/// Two ranges that must be disjoint.
struct ApartRanges {
  MemoryRange one, other;
};

/// A number that must be in [0, most], signed.
struct NumberInRange {
  const llvm::SCEV *number, *most;
};

/// Conditions at the loop's entry under which no iteration reads or writes memory that another iteration writes.
struct Independence {
  llvm::SmallVector<ApartRanges> apart;
  llvm::SmallVector<NumberInRange> numbers;
  /// An iteration reads memory that it writes, so it cannot run twice.
  bool readsWhatItWrites = false;
};

/// nullopt if the iterations may depend on each other. The loop must access memory only by plain loads and stores,
/// whose addresses are affine in the iterations of the loop and its inner loops.
std::optional<Independence> independenceOf(llvm::Loop &loop, llvm::ScalarEvolution &evolution,
                                           llvm::AAResults &aliases);

/// The stride of an address in `loop`; null if it is unknown or varies.
const llvm::SCEV *strideIn(const llvm::SCEV *address, const llvm::Loop &loop,
                           llvm::ScalarEvolution &evolution);

} // namespace heddle::host
