#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Sums and products of floats that the rounds of a shared loop (prange) carry may be computed in any order, as those of its
/// chunks are: such loops become vectors, several at once.
///
///     %total = phi double [...], [%next, ...]   =>   %next = fadd reassoc double %total, %x
///     %next = fadd double %total, %x
struct FreeSums : llvm::PassInfoMixin<FreeSums> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Of sums and products in any order, what is added on a condition is always added, or a zero: LLVM's vectorizer takes no
/// others.
///
///     %more = fadd reassoc double %total, %x           =>   %addend = select i1 %c, double %x, double -0.0
///     %next = select i1 %c, double %more, double %total      %next = fadd reassoc double %total, %addend
struct AddAlways : llvm::PassInfoMixin<AddAlways> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
