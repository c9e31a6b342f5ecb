// Innermost loops that LLVM's vectorizer may take.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Whether nothing but the places that a loop reads and writes, to be compared at run time, is in the vectorizer's way.
bool mayBeVectorized(llvm::Loop &loop, llvm::FunctionAnalysisManager &am);

/// Gives each innermost loop of a function to `change` once, which says whether it changed it; analyses are those of the
/// function as it is then. Loops that `change` makes are not given to it.
llvm::PreservedAnalyses
changeLoops(llvm::Function &f, llvm::FunctionAnalysisManager &am,
            llvm::function_ref<bool(llvm::Loop &, llvm::FunctionAnalysisManager &)> change);

} // namespace heddle::host
