// Builds the function that runs all threads of a block, for kernels with and without barriers.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// The kernel parameters that have uses.
llvm::SmallVector<llvm::Argument *, 16> findUsedParameters(llvm::Function &kernel);

/// Creates the function (context, used parameters) with the kernel's attributes and no body. Parameters remain
/// parameters, so that noalias, align and range keep their full meaning.
llvm::Function *declareThreadsFunction(llvm::Function &kernel,
                                       llvm::ArrayRef<llvm::Argument *> used);

/// The parameter of `threads` to which declareThreadsFunction mapped the used parameter `number`.
llvm::Argument *parameterOfThreadsFunction(llvm::Function &threads, unsigned number);

/// Creates the function (context, arguments) under the kernel's name, which calls `threads`; KernelEntry points to it.
void makeBlockFunction(llvm::Function &kernel, llvm::Function &threads,
                       llvm::ArrayRef<llvm::Argument *> used);

/// The number of threads along each axis of a block. If groups span rows (ThreadGroups::linear), all threads are along
/// x.
struct ThreadCounts {
  llvm::Value *along[3];
};
ThreadCounts loadThreadCounts(llvm::IRBuilderBase &b, llvm::Function &threads);

/// Loops over a block's groups of threads. An iteration of the innermost loop runs from `header` to `latch`.
struct ThreadLoops {
  llvm::PHINode *index[3];        ///< index of a group's first thread
  llvm::PHINode *block = nullptr; ///< the block within a run, if `blocks` is given
  llvm::BasicBlock *header;
  llvm::BasicBlock *latch;
};

/// Returns true for a loop made by `makeThreadLoops`. Its iterations may run in any order.
bool isThreadLoop(const llvm::Loop &loop);

/// Creates the loops in `threads`, with nothing between the innermost header and latch. `before` must lack a terminator
/// and gets one; the loops exit to `after`. blocks: the number of blocks to run together, interleaved by rows of
/// threads; null for one.
ThreadLoops makeThreadLoops(llvm::Function &threads, const ThreadCounts &counts,
                            llvm::BasicBlock *before, llvm::BasicBlock *after,
                            llvm::DebugLoc location, llvm::Value *blocks = nullptr);

} // namespace heddle::cpu
