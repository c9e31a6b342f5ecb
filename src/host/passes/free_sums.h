#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Allows reassociation of float sums and products carried by the iterations of a shared loop (prange). Splitting the
/// loop into chunks already changes their order. This lets the loops vectorize and interleave.
///
///     %total = phi double [...], [%next, ...]   =>   %next = fadd reassoc double %total, %x
///     %next = fadd double %total, %x
struct FreeSums : llvm::PassInfoMixin<FreeSums> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Replaces a conditional reassociable addition or multiplication by an unconditional one that adds zero or multiplies
/// by one, because LLVM's vectorizer handles only unconditional ones.
///
///     %more = fadd reassoc double %total, %x           =>   %addend = select i1 %c, double %x, double -0.0
///     %next = select i1 %c, double %more, double %total      %next = fadd reassoc double %total, %addend
struct AddAlways : llvm::PassInfoMixin<AddAlways> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::host
