#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Turns barriers of the whole grid into a barrier of the block around a wait for the other blocks.
///
///     before                                  after
///       call void @simt.grid.barrier(i32 3)     call void @heddle_grid_barrier()    ; inlined later:
///                                                 block barrier
///                                                 one thread: counter += 1; wait until all blocks have come
///                                                 block barrier
///
/// The counter is the word that the driver keeps for every cooperative launch, so that launches that run at the same
/// time, even of one kernel, do not meet. Where the module can trap, a block that waits looks at the error record now
/// and then: when a thread of another block has stopped the kernel, its block leaves too.
///
/// Needs: lower-traps has run. Leaves: no simt.grid.barrier.
struct LowerGridBarrier : llvm::PassInfoMixin<LowerGridBarrier> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
