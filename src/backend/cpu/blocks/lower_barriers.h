#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Turns a kernel whose plan is BarrierForm::Coroutines into a coroutine that runs one thread and suspends at barriers
/// and warp operations.
///
///     before                                       after
///       void @k(%context, i32 %x, %y, %z, %a)        ptr @k(%context, ptr %arguments, i32 %x, %y, %z) presplitcoroutine
///         %v = load ...                                %v = load ...
///         call void @simt.barrier(i32 3)               store i32 3, BlockContext::barrierSite
///         use %v                                       %s = call i8 @llvm.coro.suspend(token none, i1 false)
///                                                      switch i8 %s, label %suspend [ 0: %resume, 1: %cleanup ]
///                                                    resume:
///                                                      use %v                   ; %v lives in the coroutine's frame
///
/// Warp operations and named barriers are lowered in the same way, except for the operands passed to the runtime: see warp_arrival.h.
///
/// The runtime starts all threads of the block, then resumes those that have not returned until none is left: one
/// barrier per round (resume_loops.h). The runtime allocates the frame; the resume pointer of a returned thread is
/// null. A kernel parameter becomes a load from %arguments, which may be repeated after a barrier instead of being kept
/// in the frame.
///
/// Needs: all other operations are lowered.
/// Leaves: no barriers or warp operations in these kernels.
struct LowerBarriers : llvm::PassInfoMixin<LowerBarriers> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
