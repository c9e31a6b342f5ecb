// Finds shared memory accesses through which the lanes of a warp exchange values without a barrier.
#pragma once

#include "simt/analysis/accesses.h"
#include "simt/analysis/guards.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

struct SharedAccess : Access {
  Polynomial form; ///< of the address

  /// The distance in bytes between neighboring threads along x, if constant.
  std::optional<int64_t> stride() const { return strideAlong(Axis::X); }
  /// Returns true if nearby threads access different addresses.
  bool hasPerThreadAddress() const { return stride().value_or(0) != 0; }
};

/// Returns the accesses to shared memory, with estimates of their addresses.
llvm::SmallVector<SharedAccess, 0> collectSharedAccesses(const Accesses &accesses);

/// The accesses and blocks that a thread may reach from an instruction before a synchronization point or one of
/// `stops`.
struct ReachableWithoutBarrier {
  explicit ReachableWithoutBarrier(const llvm::Instruction &i,
                                   llvm::ArrayRef<llvm::Instruction *> stops = {})
      : ReachableWithoutBarrier(std::next(i.getIterator()), stops) {}
  ReachableWithoutBarrier(llvm::BasicBlock::const_iterator from,
                          llvm::ArrayRef<llvm::Instruction *> stops = {});

  llvm::SmallPtrSet<const llvm::Instruction *, 16> accesses; ///< loads and stores
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks;    ///< entered at their start
  llvm::SmallVector<const llvm::Instruction *, 4> barriers;  ///< the synchronization points
};

class WarpExchanges {
public:
  WarpExchanges(llvm::ScalarEvolution &evolution, const llvm::DominatorTree &dominators,
                const Accesses &accesses, const ThreadGuards &guards)
      : evolution_(evolution), dominators_(dominators), accesses_(accesses),
        alongX_(accesses.strides(Axis::X)), guards_(guards) {}

  /// Returns true if the second access may touch an element that another thread, less than a warp size away, touches
  /// in the first access.
  bool accessesNearbyThread(const SharedAccess &first, const SharedAccess &second) const;
  /// Returns true for a tree reduction step `if (t < k) sums[t] += sums[t + k]`, where k is halved or doubled by a
  /// loop: threads below k write the first k elements and read the next k, so only the step with another k needs a
  /// barrier. Barriers will be added before `barriers`.
  bool isTreeReductionStep(const SharedAccess &first, const SharedAccess &second,
                           llvm::ArrayRef<llvm::Instruction *> barriers) const;
  /// Returns true if a thread's second access may touch the address of another lane's first access: some threads write
  /// and others read, all write and one reads, or the threads permute values.
  bool mayAliasOtherLane(const SharedAccess &first, const SharedAccess &second) const;
  /// Returns true unless the accesses are known to touch different bytes in the lanes of a warp, or only each thread's
  /// own element.
  bool mayShareElement(const SharedAccess &first, const SharedAccess &second) const;

private:
  bool isHalvedOrDoubled(const llvm::Value &value) const;
  const llvm::Instruction *findReductionDistance(const SharedAccess &first,
                                                 const SharedAccess &second) const;
  bool isGuardedBelow(const llvm::Instruction &k, const llvm::BasicBlock &block) const;
  bool changesInCommonLoop(const SharedAccess &first, const SharedAccess &second) const;
  bool dependsOnLaneOrder(const SharedAccess &store, const SharedAccess &second) const;
  llvm::ConstantRange valueRangeOf(const Polynomial &form) const;
  bool isUniformAlongX(const Polynomial &form) const;
  Polynomial collectThreadTerms(const Polynomial &form) const;
  bool neverOverlapInWarp(const SharedAccess &first, const SharedAccess &second) const;
  bool isSameAddressForThread(const SingleThread &one, const SharedAccess &allThreads,
                              const SharedAccess &singleThread) const;

  llvm::ScalarEvolution &evolution_;
  const llvm::DominatorTree &dominators_;
  const Accesses &accesses_;
  const ThreadStrides &alongX_;
  const ThreadGuards &guards_;
};

} // namespace heddle::simt
