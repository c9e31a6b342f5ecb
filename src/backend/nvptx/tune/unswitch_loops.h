#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Copies an innermost loop that tests a condition several times in each iteration, although no iteration changes it:
/// usually a null pointer test or a flag among the kernel's arguments, in a loop that LLVM has unrolled into this one.
///
///     before                                after
///       for (...) {                           if (p)
///         a; if (p) b;                          for (...) { a; b; c; d; }
///         c; if (p) d;                        else
///       }                                       for (...) { a; c; }
///
/// ptxas replaces the branches by predicates, but each copy of an instruction takes its time even if its predicate is
/// false. Skips conditions that may differ between the threads of a warp, loops with barriers or other convergent
/// operations, and loops of more than `maxUnrolledSize` instructions in both copies.
///
/// A remark tells of each loop that is copied.
struct UnswitchLoops : llvm::PassInfoMixin<UnswitchLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
