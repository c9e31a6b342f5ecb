#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers index operations to thread parameters and loads from the context.
///
///     before                                after
///       %t = call i32 @simt.tid.x()           (the parameter %tid.x)
///       %n = call i32 @simt.ntid.x()          %n = load i32, ptr (BlockContext::blockDim[0]), !range, !invariant.load
///
/// Loads are emitted once, at the function's entry.
/// Needs: bind-context has run.
struct LowerIndices : llvm::PassInfoMixin<LowerIndices> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
