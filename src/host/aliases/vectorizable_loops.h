// Innermost loops that LLVM's vectorizer can handle.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// True if run-time checks of the loop's addresses are the only obstacle to vectorization.
bool mayBeVectorized(llvm::Loop &loop, llvm::FunctionAnalysisManager &am);

/// Calls `change` with each innermost loop of a function, with up-to-date analyses. `change` returns true if it has
/// changed the loop. Skips loops that `change` creates. Returns the analyses that remain valid.
llvm::PreservedAnalyses transformInnermostLoops(
    llvm::Function &f, llvm::FunctionAnalysisManager &am,
    llvm::function_ref<bool(llvm::Loop &, llvm::FunctionAnalysisManager &)> change);

} // namespace heddle::host
