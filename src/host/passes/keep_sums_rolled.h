#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Disables run-time unrolling of loops that add up floats in order. Each iteration waits for the previous sum, so
/// unrolling gains nothing, and its remainder check slows down short loops, such as those over the dimensions of a
/// point.
struct KeepSumsRolled : llvm::PassInfoMixin<KeepSumsRolled> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
