#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Replaces SIMT math operations by cheaper ones with bit-identical results. LLVM simplifies only its own math
/// functions.
///
///     before                                       after
///       call @simt.math.pow.f32(%x, 2.0)             fmul %x, %x
///       call @simt.math.log2.f32(16.0)               4.0
///       call @simt.math.pow.f32(2.0, sitofp %n)      call @simt.math.ldexp.f32(1.0, %n)
///
/// keepApproximate: keep powers of 2.0 that may be approximated; a GPU computes them in two instructions.
struct SimplifyMath : llvm::PassInfoMixin<SimplifyMath> {
  explicit SimplifyMath(bool keepApproximate) : keepApproximate(keepApproximate) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool keepApproximate;
};

} // namespace heddle::simt
