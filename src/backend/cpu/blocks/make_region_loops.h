#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Runs a kernel as loops over the block's threads: one where it has no barriers, else one for each region between them.
///
///     before                                     after
///       void @k(%context, i32 %x, %y, %z, %a)      void @k(%context, ptr %arguments)
///         %v = ...                                   call void @k.threads(%context, <arguments from their slots>)
///         call void @simt.barrier(i32 3)           void @k.threads(%context, %a)
///         use %v                                     for z, y, x below BlockContext::blockDim
///         ret void                                     %v = ...
///                                                      store %v, frame of the thread
///                                                    for z, y, x below BlockContext::blockDim
///                                                      %v = load from the frame
///                                                      use %v
///
/// A "thread" may be a group of threads that run as vectors. What is the same for all of a block's threads is kept once,
/// and what is cheap to compute is computed again. Where a region ends at one of several barriers, the last thread of a
/// loop says at which: they all come to the same.
///
/// The parameters stay parameters of @k.threads, so that noalias, align and range keep their full meaning there.
///
/// A kernel of which runsOf says so (block_runs.h) runs BlockContext::blocks blocks, in a loop between those over y and x.
///
/// Kernels in which threads may come to different barriers, or wait for their warp or the grid, are not touched; nor,
/// without `barriers`, any other with barriers; nor do blocks run together then.
///
/// Needs: all operations but barriers are lowered. Leaves: the kernels that it changed have the attribute "heddle.entry".
struct MakeRegionLoops : llvm::PassInfoMixin<MakeRegionLoops> {
  explicit MakeRegionLoops(bool barriers) : barriers(barriers) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
  bool barriers;
};

} // namespace heddle::cpu
