#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Disables run-time unrolling of loops whose bodies wait for long-running instructions (atomics, calls, barriers,
/// divisions): the copies cost registers and gain almost nothing.
///
///     before                            after
///       loop:                             the same; its latch has !llvm.loop
///         atomicrmw ..                    !{!"llvm.loop.unroll.runtime.disable"}
///         br %again, %loop, %done
struct LimitUnrolling : llvm::PassInfoMixin<LimitUnrolling> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
