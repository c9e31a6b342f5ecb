#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers block barriers and memory fences to instructions.
///
///     before                                      after
///       call void @simt.barrier(i32 3)              call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
///       call i32 @simt.barrier.count(i32 3, %p)     call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, %p)
///       call i32 @simt.barrier.and(i32 3, %p)       true if the count of threads with a false %p is 0
///       call void @simt.named.barrier(i32 4, %n, %t)  call void @llvm.nvvm.barrier.cta.sync.count(%n, %t)
///       call void @simt.fence.device()              call void @llvm.nvvm.membar.gl()
///       call void @simt.nanosleep(i32 %n)           call void @llvm.nvvm.nanosleep(i32 %n)
///
/// Aligned instructions require converged warps. If a divergent branch may split a warp, the barrier waits for each
/// thread: barrier.cta.sync.all, PTX's barrier.sync.
///
/// Hardware does not count threads that have returned. It does not distinguish sites: threads at different barriers
/// release each other.
struct LowerBarriers : llvm::PassInfoMixin<LowerBarriers> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
