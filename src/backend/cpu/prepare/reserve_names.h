#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Renames the module's defined functions and global variables, so that they cannot collide with functions that
/// generated code calls. Otherwise LLVM would, for example, treat a user's exp as the libm function.
///
///     before                                  after
///       define void @exp() "simt.kernel"        define void @exp.kernel() "heddle.name"="exp"
///       define internal float @powf(...)        define internal float @powf.device(...)
struct ReserveNames : llvm::PassInfoMixin<ReserveNames> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
