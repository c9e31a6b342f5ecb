// The addresses that a loop's iterations access.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace llvm {
class SCEVAddRecExpr;
class SCEVIntegralCastExpr;
} // namespace llvm

namespace heddle::simt {

/// Addresses as functions of a loop's iteration.
class IterationAddresses {
public:
  /// counter: an integer that increases by the same amount in each iteration, without wraparound. If given, addresses
  /// are functions of the counter, otherwise of the iteration's index. With a counter, addresses can also be compared
  /// with those in other threads, which have other values of the counter.
  IterationAddresses(const llvm::Loop &loop, llvm::ScalarEvolution &evolution,
                     llvm::Value *counter = nullptr);

  /// Returns the address as an expression in which affine functions are add recurrences of the loop and loops in it.
  /// Returns null if the address is not a function of the counter.
  const llvm::SCEV *of(const llvm::Value &pointer) const;
  /// Returns the increase of the address when the counter, or the iteration's index, increases by one; null if it is
  /// unknown or varies.
  const llvm::SCEV *strideOf(const llvm::Value &pointer) const;
  /// Same, for an address that of() has returned.
  const llvm::SCEV *strideIn(const llvm::SCEV *address) const;

private:
  bool varies(const llvm::SCEV *value) const;
  const llvm::SCEV *byCounter(const llvm::SCEV *value) const;
  const llvm::SCEV *recurrenceByCounter(const llvm::SCEVAddRecExpr &sum) const;
  const llvm::SCEV *extensionByCounter(const llvm::SCEVIntegralCastExpr &extension) const;

  const llvm::Loop &loop_;
  llvm::ScalarEvolution &evolution_;
  llvm::SmallVector<const llvm::SCEVAddRecExpr *, 3> counters_; ///< the counter and its extensions
  bool hasCounter_;
};

} // namespace heddle::simt
