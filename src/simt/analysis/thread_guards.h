// Finds the branches that decide which threads reach a basic block, among threads that differ only along x.
#pragma once

#include "simt/analysis/thread_strides.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// `if (index == value)`, where `index` differs between threads: a single thread enters.
struct SingleThread {
  llvm::Value *index;
  llvm::Value *value;
  bool operator==(const SingleThread &) const = default;
};

class ThreadGuards {
public:
  ThreadGuards(const llvm::DominatorTree &dominators, const llvm::LoopInfo &loops,
               const ThreadStrides &alongX)
      : dominators_(dominators), loops_(loops), alongX_(alongX) {}

  /// Returns true if no thread-dependent branch guards the block.
  bool allThreadsReach(const llvm::BasicBlock &block) const;
  /// The single thread that may reach the block; nullopt if several may.
  std::optional<SingleThread> singleThreadAt(const llvm::BasicBlock &block) const;
  /// Returns true if threads that bypass the block run no relevant instruction afterwards, and all loops around the
  /// block have uniform trip counts.
  bool areConvergedAt(const llvm::BasicBlock &block,
                      llvm::function_ref<bool(const llvm::Instruction &)> isRelevant) const;

private:
  /// Calls `visit` with each dominating edge that only some threads along x may take. Returns false and stops as soon
  /// as `visit` returns false.
  bool forEachGuard(const llvm::BasicBlock &block,
                    llvm::function_ref<bool(const llvm::BasicBlockEdge &)> visit) const;
  /// Returns true if the condition is the same in threads that differ only along x.
  bool isUniformAlongX(llvm::Value &condition) const;
  std::optional<SingleThread> matchSingleThread(llvm::Value &condition, bool holds) const;

  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  const ThreadStrides &alongX_;
};

} // namespace heddle::simt
