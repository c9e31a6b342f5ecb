#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// An index that counts from the end where it is negative seldom is: code has a branch there, which is guessed, where it
/// would have a choice that each access waits for. LLVM makes the branch of a choice with such weights.
///
///     %below = icmp slt i64 %i, 0
///     %from = select i1 %below, ptr %end, ptr %start, !prof !{"branch_weights", i32 1, i32 2000}
///     %p = getelementptr float, ptr %from, i64 %i
class ExpectIndexSigns : public llvm::PassInfoMixin<ExpectIndexSigns> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
