// Finds accesses of shared memory by which lanes of a warp exchange values without a barrier.
#pragma once

#include "simt/analysis/shared_accesses.h"
#include "simt/analysis/thread_guards.h"

namespace heddle::simt {

class WarpExchanges {
public:
  WarpExchanges(llvm::ScalarEvolution &evolution, const llvm::DominatorTree &dominators,
                const WarpAddresses &addresses, const ThreadGuards &guards)
      : evolution_(evolution), dominators_(dominators), addresses_(addresses), guards_(guards) {}

  /// Returns whether one thread's second access is of the place of a near thread's first access.
  bool areNeighbours(const SharedAccess &first, const SharedAccess &second) const;
  /// Returns whether threads below k, the distance in a loop that halves or doubles it, write the first k elements and read
  /// the next k: `if (t < k) sums[t] += sums[t + k]`. A barrier must come before a thread does so with another k. `next`
  /// follows the first access.
  bool areOfTwoHalves(const SharedAccess &first, const SharedAccess &second,
                      const Followers &next) const;
  /// Returns whether one thread's second access may be of the place of another thread's first access, in one warp: all
  /// threads read what one wrote, one reads what all wrote, or the threads permute values.
  bool mayBeOfOtherLane(const SharedAccess &first, const SharedAccess &second) const;

private:
  llvm::PHINode *halvedDistance(const SharedAccess &first, const SharedAccess &second) const;
  bool isBelow(const llvm::PHINode &k, const llvm::Instruction &i) const;
  bool isBeyond(const llvm::SCEV &distance, const SharedAccess &first,
                const SharedAccess &second) const;
  bool isOwnPlace(const OneThread &one, const SharedAccess &ofAll, const SharedAccess &its) const;

  llvm::ScalarEvolution &evolution_;
  const llvm::DominatorTree &dominators_;
  const WarpAddresses &addresses_;
  const ThreadGuards &guards_;
};

} // namespace heddle::simt
