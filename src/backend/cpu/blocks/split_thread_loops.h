#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Cuts the loop over a block's threads where a bounds check changes its mind, so that neither part tests it.
///
///     before                                after
///       for x in 0 .. ntid                    t = clamp(n - base, 0, ntid)
///         if base + x < n                     for x in 0 .. t
///           body                                body
///                                             for x in t .. ntid
///                                               (nothing)
///
/// The check becomes masks when LLVM vectorizes it, and masked stores are slow where the host has no mask registers.
/// A check that is the same for all x cuts at 0 or at ntid. Threads still run in ascending order. Sums of 32 bits that may
/// wrap around get a copy of the loop for the blocks where they might, so that in the other they are known not to.
///
/// Needs: make-block-loops has marked the loop with `threadLoopMark`; what does not change in it stands before it
/// (licm has run); the loop has one latch, which is its only exit.
/// Leaves: both parts carry the loop's metadata. A function without such a check is not touched.
struct SplitThreadLoops : llvm::PassInfoMixin<SplitThreadLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// The property in a loop's metadata that says: an iteration is a thread.
inline constexpr const char *threadLoopMark = "heddle.thread_loop";

} // namespace heddle::cpu
