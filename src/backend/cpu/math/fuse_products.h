#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Makes a product and a sum one FMA wherever a GPU does, so that a kernel gives the same results on both: also where
/// the product is used elsewhere, which instruction selection for GPUs does not mind and that for x86 does.
///
///     before                                 after
///       %p = fmul contract float %x, %y        %p = fmul contract float %x, %y
///       store float %p, ptr %a                 store float %p, ptr %a
///       %s = fadd contract float %p, %z        %s = call contract float @llvm.fmuladd.f32(%x, %y, %z)
///
/// Of two products the one with fewer uses is fused, else the first. Floats of 16 bits are not fused, and may not be
/// later: few CPUs have an FMA of them. Runs on a thread's code, before its loops are unrolled and its lanes become
/// vectors: so the results are the same at every width, and no other pass decides them.
struct FuseProducts : llvm::PassInfoMixin<FuseProducts> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
