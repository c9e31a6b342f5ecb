// Determines if a loop's iterations may run in any order, and which run-time checks this requires.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

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
/// its inner loops, and by atomics that commute (simt::Commutes), whose results are unused.
std::optional<Independence> findIndependenceConditions(llvm::Loop &loop,
                                                       llvm::ScalarEvolution &evolution,
                                                       llvm::AAResults &aliases);

/// Returns true if iterations with different values of `counter` are independent, also those that other threads run.
/// Values from outside the loop must be the same for these threads.
bool areIterationsIndependent(llvm::Loop &loop, const llvm::Value &counter,
                              const llvm::DominatorTree &dominators, llvm::AAResults &aliases);

/// Returns by how much an address grows in each iteration; null if that is unknown or varies.
const llvm::SCEV *strideOf(const llvm::SCEV *address, const llvm::Loop &loop,
                           llvm::ScalarEvolution &evolution);

/// Returns by how many bytes an address grows if `counter` grows by one; nullopt if that is unknown or varies.
std::optional<int64_t> strideOf(const llvm::Value &address, const llvm::Loop &loop,
                                const llvm::Value &counter);

} // namespace heddle::simt
