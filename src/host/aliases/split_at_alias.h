#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Splits a loop at the one round whose store changes what all rounds load: the rounds before it and those after it may
/// then run together, as lanes.
///
///     for j in range(n):                       for j in range(k):
///         d[i, j] = min(d[i, j],                   d[i, j] = ...
///                       d[i, k] + d[k, j])     d[i, k] = ...
///                                              for j in range(k + 1, n):
///                                                  d[i, j] = ...
///
/// Only where an array is read is guessed; the result is the same wherever a loop is split. Short loops stay whole, by a
/// comparison at run time.
///
/// Needs: loops that are rotated and in the form of LoopSimplify.
struct SplitAtAlias : llvm::PassInfoMixin<SplitAtAlias> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
