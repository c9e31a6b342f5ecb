#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Marks loads as invariant if their pointer comes from a parameter that overlaps no other and is only read.
///
///     before                                    after
///       define void @k(ptr addrspace(1)           load float, ptr addrspace(1) %p, !invariant.load !0
///                      noalias readonly %a)
///       load float, ptr addrspace(1) %p
///
/// The code generator uses the read-only cache for these loads (ld.global.nc), and other passes may move them across
/// barriers. The code generator's analysis looks through only six steps of address arithmetic; unrolled loops have
/// more.
///
/// Needs: readonly has been inferred, and LimitNoAlias has run.
struct MarkReadOnlyLoads : llvm::PassInfoMixin<MarkReadOnlyLoads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
