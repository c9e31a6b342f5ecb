#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers a grid barrier to two block barriers with a wait for the other blocks in between.
///
///     before                                  after
///       call void @simt.grid.barrier(i32 3)     call void @heddle_grid_barrier()    ; inlined later:
///                                                 block barrier
///                                                 one thread: counter += 1; wait until all blocks have arrived
///                                                 block barrier
///
/// The driver provides the counter, a separate word for each cooperative launch, so concurrent launches do not
/// interfere. If the module can trap, a waiting block checks the error record periodically, and exits if a thread of
/// another block has stopped the kernel.
///
/// Needs: lower-traps has run. Leaves: no simt.grid.barrier.
struct LowerGridBarrier : llvm::PassInfoMixin<LowerGridBarrier> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
