#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Runs several rounds of a loop at once, as lanes, where LLVM's vectorizers see nothing to do: the loop has loops in it
/// whose rounds depend on each other, and not on those of other rounds of the outer one.
///
///     for j in range(n):                  for j in groups:
///         total = 0.0                         totals = 0.0, 0.0, ...
///         for k in range(n):                  for k in range(n):
///             total += a[k] * b[k, j]             totals += a[k] * b[k, j : j + lanes]
///         c[j] = total                        c[j : j + lanes] = totals
///
/// Every sum keeps its order, so results are the same. Whether arrays overlap is looked at when the loop is entered
/// (independent_rounds.h); the loop remains for those that do, and for the last rounds.
///
/// Needs: loops that are rotated and in the form of LoopSimplify.
struct VectorizeOuterLoops : llvm::PassInfoMixin<VectorizeOuterLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::host
