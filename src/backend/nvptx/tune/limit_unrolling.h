// Limits LLVM's unrolling where copies of a loop's body cost more than they gain.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
}

namespace heddle::nvptx {

/// Returns true if the loop's metadata says whether, or how, to unroll it.
bool hasUnrollHint(const llvm::Loop &loop);

/// Disables run-time unrolling of loops whose bodies wait for long-running instructions (atomics, calls, barriers,
/// divisions): the copies cost registers and gain almost no time. Loops with a number of copies, as by
/// `#pragma unroll 8`, get these copies.
///
///     before                            after
///       loop:                             the same; its latch has !llvm.loop
///         atomicrmw ..                    !{!"llvm.loop.unroll.runtime.disable"}
///         br %again, %loop, %done
struct LimitUnrolling : llvm::PassInfoMixin<LimitUnrolling> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Disables full unrolling of loops that contain a loop with a trip count unknown at compile time:
///
///     for (int i = 0; i < 8; ++i)      stays a loop
///       for (int k = 0; k < n; ++k)    may be unrolled
///
/// LLVM would unroll both: a public kernel with two outer loops would compile 5x slower, and the copies of the inner
/// loop share nothing. nvcc also keeps these loops. Loops with hints are left alone, and so are loops around triangular
/// loops, whose trip counts become constant. Needs: UnrollArrayLoops has run.
struct KeepOuterLoopsRolled : llvm::PassInfoMixin<KeepOuterLoopsRolled> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
