#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Restricts `noalias` to parameters whose memory no other code writes while the kernel runs.
///
/// LLVM assumes that memory at a `noalias` parameter changes only through this parameter, by accesses in the same
/// function. It therefore moves loads across calls that are not passed the pointer, barriers and fences included,
/// although other threads may write in between. This pass keeps the attribute as follows:
///
///     the function ...                                        noalias remains on
///       neither synchronizes nor communicates                   all parameters
///       has barriers, warp operations, atomics with results     those that are only read
///       may wait for other kernels or the host: system          none
///       fences, device fences in loops, spin loops, volatile
///       accesses, inline PTX, calls
///
/// Alias scopes replace the removed attributes. They state that the arrays do not overlap, but nothing about calls:
///
///     before                                       after
///       define void @k(ptr addrspace(1) noalias      define void @k(ptr addrspace(1) %a, ...)
///                      %a, ...)
///       store i32 %x, ptr addrspace(1) %a            store i32 %x, ptr addrspace(1) %a,
///                                                        !alias.scope !a, !noalias !others
///       call void @simt.barrier(i32 1)               call void @simt.barrier(i32 1)
///
/// Needs: SIMT operations.
struct LimitNoAlias : llvm::PassInfoMixin<LimitNoAlias> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
