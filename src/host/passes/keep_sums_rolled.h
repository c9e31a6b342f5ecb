#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Loops that add up floats in order are not unrolled, unless by their constant number of rounds: a round takes as long as
/// its sum waits for the one before, and short loops (the dimensions of a point) pay for the test of what is left over.
struct KeepSumsRolled : llvm::PassInfoMixin<KeepSumsRolled> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
