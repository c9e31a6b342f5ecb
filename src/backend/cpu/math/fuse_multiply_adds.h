#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Fuses products and sums into FMAs exactly where a GPU does, so that kernels give the same results on both. That
/// includes products with other uses, which instruction selection fuses for GPUs but not for x86.
///
///     before                                 after
///       %p = fmul contract float %x, %y        %p = fmul contract float %x, %y
///       store float %p, ptr %a                 store float %p, ptr %a
///       %s = fadd contract float %p, %z        %s = call contract float @llvm.fmuladd.f32(%x, %y, %z)
///
/// If both operands of a sum are products, the one with fewer uses is fused, or the first if the numbers are equal.
/// 16-bit floats are not fused and must not be later, because few CPUs have FMAs for them. Runs on scalar code, before
/// loops are unrolled and lanes become vectors, so that results are the same at every width and no later pass affects
/// them.
struct FuseMultiplyAdds : llvm::PassInfoMixin<FuseMultiplyAdds> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
