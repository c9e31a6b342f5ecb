#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Renames user functions that could collide with functions that generated code calls.
///
///     before                                  after
///       define void @exp() "simt.kernel"        define void @exp.kernel() "heddle.name"="exp"
///       define internal float @powf(...)        define internal float @powf.device(...)
///
/// LLVM would treat them as libm functions.
struct ReserveNames : llvm::PassInfoMixin<ReserveNames> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
