#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Splits a loop at the single iteration whose store changes a value that all iterations load. The iterations before
/// and after it can then run as lanes.
///
///     for j in range(n):                       for j in range(k):
///         d[i, j] = min(d[i, j],                   d[i, j] = ...
///                       d[i, k] + d[k, j])     d[i, k] = ...
///                                              for j in range(k + 1, n):
///                                                  d[i, j] = ...
///
/// The position of the split may be a guess; the result is the same wherever a loop is split. A run-time check keeps
/// short loops whole.
///
/// Needs: loops in rotated and LoopSimplify form.
struct SplitAtAlias : llvm::PassInfoMixin<SplitAtAlias> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
