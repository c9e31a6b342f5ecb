#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Copies device functions into their callers.
///
///     before                               after
///       %v = call float @f(float %x)         %v = fmul float %x, %x
///
/// Needs: check-resources has marked what stays a function.
/// Leaves: calls to out-of-line functions only, and no device function that nothing calls.
struct InlineDeviceFunctions : llvm::PassInfoMixin<InlineDeviceFunctions> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
