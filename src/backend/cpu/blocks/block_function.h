// A kernel as one function that runs all threads of a block: what kernels with and without barriers have in common.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// The user's parameters that the kernel uses.
llvm::SmallVector<llvm::Argument *, 16> usedParameters(llvm::Function &kernel);

/// (context, the used parameters), with the kernel's attributes; still without a body. The parameters stay parameters,
/// so that noalias, align and range keep their full meaning.
llvm::Function *makeThreadsFunction(llvm::Function &kernel, llvm::ArrayRef<llvm::Argument *> used);

/// Where `makeThreadsFunction` put a parameter of the kernel.
llvm::Argument *movedParameter(llvm::Function &threads, unsigned number);

/// The function (context, arguments) under the kernel's name, which calls `threads`: what a KernelEntry points to.
void makeBlockFunction(llvm::Function &kernel, llvm::Function &threads,
                       llvm::ArrayRef<llvm::Argument *> used);

/// How many threads a block has along each axis. Where groups go over several rows (linearAttribute), all are along x.
struct ThreadCounts {
  llvm::Value *along[3];
};
ThreadCounts loadThreadCounts(llvm::IRBuilderBase &b, llvm::Function &threads);

/// Loops over a block's groups of threads. An iteration of the innermost runs from `header` to `latch`.
struct ThreadLoops {
  llvm::PHINode *index[3];        ///< of a group's first thread
  llvm::PHINode *block = nullptr; ///< of the block in a run of several, if `blocks` is given
  llvm::BasicBlock *header;
  llvm::BasicBlock *latch;
};

/// Whether the loop is one that `makeThreadLoops` made: its rounds have no order.
bool isLoopOverThreads(const llvm::Loop &loop);

/// Makes the loops in `threads`, without anything between the innermost header and latch. `before` has no terminator
/// yet and gets one; the loops end with a branch to `after`. blocks: how many blocks run together, each row of threads
/// in all of them before the next; null for one.
ThreadLoops makeThreadLoops(llvm::Function &threads, const ThreadCounts &counts,
                            llvm::BasicBlock *before, llvm::BasicBlock *after,
                            llvm::DebugLoc location, llvm::Value *blocks = nullptr);

} // namespace heddle::cpu
