#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Turns the block barriers of a kernel with named barriers into named barriers for all threads of the block, because
/// both count arrivals in the same way and may be the same barrier.
///
///     before                                          after
///       call void @simt.barrier(i32 3)                  call void @simt.named.barrier(i32 3, i32 0, i32 0)
///       %n = call i32 @simt.barrier.and(i32 4, %p)      %f = call i32 @simt.named.barrier.count(4, 0, 0, not %p)
///                                                       %n = zext (%f == 0)
///
/// The number is in the message of the barrier's site. Other kernels are not touched.
struct NameBlockBarriers : llvm::PassInfoMixin<NameBlockBarriers> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
