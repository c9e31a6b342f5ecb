#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Looks where an inner loop is entered whether the places of one array that it reads and writes are apart, and runs
/// another copy of it if they are, in which LLVM's vectorizer need not ask.
///
///     for i in range(k + 1, n):
///         for j in range(k + 1, n):
///             a[i, j] -= a[i, k] * a[k, j]
///
/// LLVM would ask before the outermost loop, of all its rounds: all of row i and of column k, of which the answer is no.
///
/// Needs: loops that are rotated and in the form of LoopSimplify.
struct CheckAtEntry : llvm::PassInfoMixin<CheckAtEntry> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
