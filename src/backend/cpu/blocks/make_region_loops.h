#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Runs a kernel as loops over the block's threads, as its plan says: a single loop (BarrierForm::None), or one loop per
/// region between barriers (BarrierForm::Regions).
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
/// A "thread" may be a group of threads that run as vectors. Values that are uniform in the block are kept once, and
/// values that are cheap to compute are recomputed. If a region may end at one of several barriers, the last thread of
/// the loop selects the next region: all threads reach the same barrier.
///
/// The parameters remain parameters of @k.threads, so that noalias, align and range keep their full meaning.
///
/// If it is planned (Plan::runs), a kernel runs BlockContext::blocks blocks, in a loop between those over y and x.
///
/// Needs: PlanBlocks has run. Kernels planned as coroutines are unchanged.
struct MakeRegionLoops : llvm::PassInfoMixin<MakeRegionLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
