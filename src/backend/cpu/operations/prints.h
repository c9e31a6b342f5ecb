#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Turns simt.print into a call of the runtime, with the site's format as a constant of the module.
///
///     before                                     after
///       call void @simt.print(i32 3, ptr %v)       call void @heddle_cpu_print(ptr @format, ptr %v)
struct LowerPrints : llvm::PassInfoMixin<LowerPrints> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
