// Branches that decide which threads come to a block, among threads that differ along x alone.
#pragma once

#include "simt/analysis/warp_addresses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// `if (number == which)`, where each thread has another number: one thread comes there.
struct OneThread {
  llvm::Value *number;
  llvm::Value *which;
  bool operator==(const OneThread &) const = default;
};

class ThreadGuards {
public:
  ThreadGuards(const llvm::DominatorTree &dominators, const llvm::LoopInfo &loops,
               const WarpAddresses &addresses)
      : dominators_(dominators), loops_(loops), addresses_(addresses) {}

  /// Returns whether no branch that threads may take differently decides it.
  bool allThreadsComeTo(const llvm::BasicBlock &block) const;
  /// Returns nothing where more than one thread may come to the block.
  std::optional<OneThread> oneThreadAt(const llvm::BasicBlock &block) const;
  /// Returns whether the threads that do not come to the block do nothing more that `isOfInterest`, and no loop around the
  /// block ends sooner for one thread than for another.
  bool areTogetherAt(const llvm::BasicBlock &block,
                     llvm::function_ref<bool(const llvm::Instruction &)> isOfInterest) const;

private:
  /// Calls `visit` with each edge that only some threads along x may take and that dominates the block. Stops and returns
  /// false when `visit` does.
  bool forEachGuard(const llvm::BasicBlock &block,
                    llvm::function_ref<bool(const llvm::BasicBlockEdge &)> visit) const;
  /// Returns whether a condition is the same in threads that differ along x alone.
  bool isSameAlongX(llvm::Value &condition) const;
  std::optional<OneThread> oneThread(llvm::Value &condition, bool holds) const;

  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  const WarpAddresses &addresses_;
};

} // namespace heddle::simt
