#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Turns the block's barriers and the memory fences into instructions.
///
///     before                                      after
///       call void @simt.barrier(i32 3)              call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
///       call i32 @simt.barrier.count(i32 3, %p)     call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, %p)
///       call i32 @simt.barrier.and(i32 3, %p)       whether that count of threads without %p is 0
///       call void @simt.fence.device()              call void @llvm.nvvm.membar.gl()
///       call void @simt.nanosleep(i32 %n)           call void @llvm.nvvm.nanosleep(i32 %n)
///
/// Aligned instructions are for whole warps. Where a divergent branch may part a warp's threads, the barrier waits for each
/// thread: barrier.cta.sync.all, with PTX's barrier.sync.
///
/// Hardware does not count threads that have returned. It cannot tell two sites apart: threads that wait at different
/// barriers meet.
struct LowerBarriers : llvm::PassInfoMixin<LowerBarriers> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
