#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Versions an inner loop: checks at its entry that the addresses of one array that it reads and writes are disjoint.
/// If they are, a copy runs that LLVM's vectorizer needs no checks for.
///
///     for i in range(k + 1, n):
///         for j in range(k + 1, n):
///             a[i, j] -= a[i, k] * a[k, j]
///
/// LLVM would check once before the outermost loop, for all its iterations. There, row i and column k overlap.
///
/// Needs: loops in rotated and LoopSimplify form.
struct CheckAtEntry : llvm::PassInfoMixin<CheckAtEntry> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
