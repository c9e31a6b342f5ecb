#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers simt.print to a runtime call, with the site's format as a module constant.
///
///     before                                     after
///       call void @simt.print(i32 3, ptr %v)       call void @heddle_cpu_print(ptr @format, ptr %v)
struct LowerPrints : llvm::PassInfoMixin<LowerPrints> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
