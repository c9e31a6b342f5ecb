#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Keeps loops whose length is known at run time only, and whose bodies wait for long-running instructions (atomics,
/// calls, barriers, divisions), from being unrolled: the copies cost registers and save next to nothing.
///
///     before                            after
///       loop:                             the same; its latch has !llvm.loop
///         atomicrmw ..                    !{!"llvm.loop.unroll.runtime.disable"}
///         br %again, %loop, %done
struct LimitUnrolling : llvm::PassInfoMixin<LimitUnrolling> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
