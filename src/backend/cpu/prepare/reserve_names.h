#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Keeps the user's names apart from those of the functions that generated code calls.
///
///     before                                  after
///       define void @exp() "simt.kernel"        define void @exp.kernel() "heddle.name"="exp"
///       define internal float @powf(...)        define internal float @powf.device(...)
///
/// LLVM would take them for libm's.
struct ReserveNames : llvm::PassInfoMixin<ReserveNames> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
