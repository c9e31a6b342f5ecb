#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Marks negative indices, which count from the end, as unlikely. LLVM then emits a predicted branch instead of a
/// select on which each access depends.
///
///     before                                              after
///       %below = icmp slt i64 %i, 0                         %below = icmp slt i64 %i, 0
///       %end = getelementptr float, ptr %start, i64 %n      %last = add i64 %i, %n
///       %from = select i1 %below, ptr %end, ptr %start      %k = select i1 %below, i64 %last, i64 %i, !prof !unlikely
///       %p = getelementptr float, ptr %from, i64 %i         %p = getelementptr float, ptr %start, i64 %k
///
/// If a bounds check already branches on the sign, each path computes its own index.
class ExpectNonnegativeIndices : public llvm::PassInfoMixin<ExpectNonnegativeIndices> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
