#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Turns math operations into calls of the host's libm.
///
///     before                                       after
///       call float @simt.math.sin.f32(float %x)      call float @sinf(float %x)
///       call i32 @simt.math.frexp.exponent.f64(..)   extractvalue of @llvm.frexp
///
/// The calls keep the operation's promise: they read and write nothing (errno and signgam are of no one's concern).
struct LowerMath : llvm::PassInfoMixin<LowerMath> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
