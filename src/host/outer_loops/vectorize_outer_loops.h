#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Vectorizes outer loops that LLVM's vectorizers do not handle: their inner loops carry dependences, but not between
/// iterations of the outer loop.
///
///     for j in range(n):                  for j in groups:
///         total = 0.0                         totals = 0.0, 0.0, ...
///         for k in range(n):                  for k in range(n):
///             total += a[k] * b[k, j]             totals += a[k] * b[k, j : j + lanes]
///         c[j] = total                        c[j : j + lanes] = totals
///
/// Every sum keeps its order, so results do not change. A run-time check at the loop's entry tests if arrays overlap
/// (simt/analysis/independent_iterations.h). The original loop handles overlapping arrays and the remaining iterations.
///
/// Needs: loops in rotated and LoopSimplify form.
struct VectorizeOuterLoops : llvm::PassInfoMixin<VectorizeOuterLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::host
