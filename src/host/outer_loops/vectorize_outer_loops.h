#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Vectorizes loops with independent iterations that LLVM's vectorizers do not handle, because an inner loop carries a
/// dependence.
///
///     for j in range(n):                  for j in groups:
///         total = 0.0                         totals = 0.0, 0.0, ...
///         for k in range(n):                  for k in range(n):
///             total += a[k] * b[k, j]             totals += a[k] * b[k, j : j + lanes]
///         c[j] = total                        c[j : j + lanes] = totals
///
/// Every sum keeps its order, so results do not change. A run-time check at the loop's entry finds arrays that overlap
/// (simt/analysis/independent_iterations.h). If there are any, the original loop runs all iterations, otherwise only
/// the remaining ones.
///
/// Needs: loops in rotated and LoopSimplify form.
struct VectorizeOuterLoops : llvm::PassInfoMixin<VectorizeOuterLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::host
