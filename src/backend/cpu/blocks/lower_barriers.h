#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Makes a kernel with barriers or warp operations a coroutine that one thread runs in and that suspends at each.
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
/// A warp operation is the same, but for what the thread leaves for the runtime: see warp_arrival.h.
///
/// The runtime starts every thread of the block, then resumes those that have not returned until none is left: one
/// round is one barrier (resume_together.h). The frame's memory comes from the runtime; a returned thread's resume pointer
/// is null.
/// A kernel parameter becomes a load from %arguments, which may be repeated after a barrier instead of being kept.
///
/// Needs: all other operations are lowered. Leaves: no barrier and no warp operation; kernels without them are not
/// touched.
struct LowerBarriers : llvm::PassInfoMixin<LowerBarriers> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
