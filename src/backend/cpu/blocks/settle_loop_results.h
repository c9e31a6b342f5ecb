#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Makes a coroutine keep what a loop computes when the loop has ended, not in each of its iterations.
///
///     before                                       after
///     loop:                                        loop:
///       %sum.next = fadd ...                         %sum.next = fadd ...
///     exit:                                        exit:
///       %sum = phi [ %sum.next, %loop ]              %sum = phi [ %sum.next, %loop ]
///       call i8 @llvm.coro.suspend(...)              %kept = freeze %sum
///       use %sum                                     call i8 @llvm.coro.suspend(...)
///                                                    use %kept              ; marked !heddle.kept
///
/// Splitting a coroutine stores a value to the frame where it is computed, and looks through phis with one operand.
/// Needs: loops are in LCSSA form. Functions that are not coroutines are not touched.
struct SettleLoopResults : llvm::PassInfoMixin<SettleLoopResults> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Removes the freezes of settle-loop-results when coroutines are split: they stand between a product and a sum that
/// could be one FMA.
struct ReleaseLoopResults : llvm::PassInfoMixin<ReleaseLoopResults> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
