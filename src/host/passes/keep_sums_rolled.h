#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Disables run-time unrolling of loops that add up floats in order. Each iteration waits for the previous sum, so
/// unrolling gains nothing. Short loops (over the dimensions of a point) would pay for the remainder check.
struct KeepSumsRolled : llvm::PassInfoMixin<KeepSumsRolled> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
