#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Says of a load that its memory does not change while the kernel runs, where the pointer comes from a parameter that
/// overlaps no other and is only read.
///
///     before                                    after
///       define void @k(ptr addrspace(1)           load float, ptr addrspace(1) %p, !invariant.load !0
///                      noalias readonly %a)
///       load float, ptr addrspace(1) %p
///
/// The code generator reads such memory past the coherent cache (ld.global.nc), and other passes may move the load over
/// barriers. The code generator could see it too, but looks through six steps of address arithmetic only, fewer than
/// unrolled loops have.
///
/// Needs: readonly has been inferred.
struct MarkReadOnlyLoads : llvm::PassInfoMixin<MarkReadOnlyLoads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
