#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Expands calls with which the device headers request exact or approximate operations:
///
///     before                                       after
///       call float @__heddle_exact_add_f32(%x, %y)   fadd float %x, %y, !simt.exact !{}
///       call float @__heddle_fast_sin(%x)            call afn float @simt.math.sin.f32(%x)
struct ExpandHeaderFunctions : llvm::PassInfoMixin<ExpandHeaderFunctions> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cudacpp
