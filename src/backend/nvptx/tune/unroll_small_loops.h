// Selects the unroll factor of small loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Requests larger unroll factors than LLVM's default for small innermost loops.
///
///     before                                  after
///       br i1 %more, label %loop, label %out    br i1 %more, label %loop, label %out, !llvm.loop !0
///                                               !0 = distinct !{!0, !{!"llvm.loop.unroll.count", i32 8}, !1}
///                                               !1 = !{!"llvm.loop.unroll.followup_remainder",
///                                                      !{!"heddle.remainder", i32 8}, ...}
///
/// The loads of eight iterations then overlap. UnrollRemainders unrolls the remaining iterations. If several loops of a
/// kernel could have eight copies, each has four, which keeps the first call short.
///
/// On an H200, the geometric mean of the time of 163 published kernels relative to NVRTC falls from 0.980 to 0.943 if
/// factors do not count address computations and remainders are also unrolled (docs/benchmarks.md).
///
/// Large loops with loads and an even, constant trip count get two copies, so that the loads of one overlap with the
/// arithmetic of the other. (ptxas would copy some of them completely: the first call of a product of matrices takes 1.5
/// times as long.) If a kernel has several such loops, they stay rolled, which keeps the first call short. LLVM handles
/// other loops with a constant trip count well.
///
/// Skips loops with barriers or with hints. Also skips loops without slow loads whose trip count takes a division:
/// unrolling gains less than the division costs. Among these, loops of at most eight iterations stay rolled: LLVM would
/// copy them with an index in a register for each copy. In an outer loop, ptxas then has fewer registers for the loads of
/// other loops. Loops whose loads cannot overlap have four copies, and LLVM's loop for the remaining iterations: those
/// with more branches than an if-else, and those in which a load may read what the iteration before stores.
struct UnrollSmallLoops : llvm::PassInfoMixin<UnrollSmallLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Requests full unrolling of loops that only compute: one block, a constant trip count, no access of memory. LLVM's limit
/// does not see that a loop over the bits of a number shrinks, because its counter selects the bit.
///
///     before                                         after
///       loop: ; 64 iterations                          the same; its latch has !llvm.loop
///         %bit = and i64 %x, 1                         !{!"llvm.loop.unroll.full"}
///         %count = add i8 %old, trunc %bit
///         %x.next = lshr i64 %x, 1
///
/// Runs before LLVM's full unrolling.
struct UnrollComputations : llvm::PassInfoMixin<UnrollComputations> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Hides the uses of induction variables in innermost loops with an unroll factor. LLVM's unrolling simplifies each use in
/// each copy by scalar evolution, which takes up to a fifth of the compile time. Later passes find the same.
///
///     before                                         after
///       %i = phi i32 [ 0, %entry ], [ %n, %loop ]      %i = phi i32 [ 0, %entry ], [ %n, %loop ]
///       %p = getelementptr float, ptr %a, i32 %i       %hidden = freeze i32 %i, !heddle.hidden !{}
///       %n = add i32 %i, 1                             %p = getelementptr float, ptr %a, i32 %hidden
///                                                      %n = add i32 %i, 1
///
/// The next value and the loop's condition stay as they are. ShowInductionVariables ends it after the unrolling.
struct HideInductionVariables : llvm::PassInfoMixin<HideInductionVariables> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Replaces the results of HideInductionVariables by their operands.
struct ShowInductionVariables : llvm::PassInfoMixin<ShowInductionVariables> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
