// Determines if a loop's iterations may run in any order, and the run-time checks that this requires.
#pragma once

#include "simt/analysis/iteration_addresses.h"

#include "llvm/Analysis/AliasAnalysis.h"

#include <optional>

namespace heddle::simt {

/// Addresses [low, high) that a loop reads or writes.
struct MemoryRange {
  const llvm::SCEV *low, *high;
};

/// Two ranges that must be disjoint.
struct ApartRanges {
  MemoryRange one, other;
};

/// A signed number that must be in [0, most].
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

/// Returns the conditions under which the loop's iterations are independent; nullopt if no conditions ensure that. The
/// loop must access memory only by plain loads and stores, whose addresses are affine in the iterations of the loop and
/// its inner loops, and by atomics that commute (simt::Commutes), whose results are unused. With `counter` (see
/// IterationAddresses), returns nullopt for loops that need run-time checks.
std::optional<Independence> independenceOf(llvm::Loop &loop, llvm::ScalarEvolution &evolution,
                                           llvm::AAResults &aliases,
                                           llvm::Value *counter = nullptr);

} // namespace heddle::simt
