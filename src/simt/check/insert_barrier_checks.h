// Inserts the checks of `heddle check` for divergent barriers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Informs the runtime when a thread passes the end of a branch around a barrier. With this information, the runtime
/// distinguishes threads that have skipped the barrier from threads that have returned early.
///
///     before                             after
///       if (t < n)                         if (t < n)
///         call void @simt.barrier(3)         call void @simt.barrier(3)
///       store ...                          call void @simt.check.sync(<Join>, <site 3, level 0>)
///                                          store ...
///
/// A join of a barrier is the place where both sides of a branch around the barrier meet again: after an `if`, and
/// after a loop that contains it. Paths that stop the kernel have no join. Level 0 is the outermost join. Joins right
/// before the function's end are left out. Loops get preheaders.
///
/// Needs: SIMT IR from a front end, device functions inlined. Leaves SIMT IR.
struct InsertBarrierChecks : llvm::PassInfoMixin<InsertBarrierChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Returns true if a thread may reach a block, grid or warp barrier, and another thread may pass one of its joins on the
/// way from the same divergent branch. Loops get preheaders.
bool maySkipBarrier(llvm::Function &f);

} // namespace heddle::simt
