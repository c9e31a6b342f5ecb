#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Whether the choice is by the sign of a number, between an index and the same from the end, or between the places that they
/// count from.
bool choosesEnd(const llvm::SelectInst &choice);

/// An index that counts from the end where it is negative seldom is: code has a branch there, which is guessed, where it
/// would have a choice that each access waits for. LLVM makes the branch of a choice with such weights.
///
///     before                                              after
///       %below = icmp slt i64 %i, 0                         %below = icmp slt i64 %i, 0
///       %end = getelementptr float, ptr %start, i64 %n      %last = add i64 %i, %n
///       %from = select i1 %below, ptr %end, ptr %start      %k = select i1 %below, i64 %last, i64 %i, !prof !seldom
///       %p = getelementptr float, ptr %from, i64 %i         %p = getelementptr float, ptr %start, i64 %k
///
/// Where a branch has been taken before, for a check of the index, each way to the access has its own index.
class ExpectIndexSigns : public llvm::PassInfoMixin<ExpectIndexSigns> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
