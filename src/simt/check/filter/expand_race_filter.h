#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Replaces the marks of insert-race-filter with code that tests and updates cells, and that stops the kernel if
/// threads may race. It may stop a kernel that has no race. It misses no race, except those that the plan leaves to
/// checks at the launch.
///
/// A cell is an integer. Its fields, most significant first, are the block, the epoch (1 plus the number of barriers
/// that the thread has passed) and a code. The code is the index of the thread in its block, or one of those below.
/// Each object has cells for writes and, if threads read it, for reads. Cells of earlier launches are less than all
/// cells of this launch. Cells of shared memory have no block, because they are cleared before each block.
///
///     | access | may race if                                         | new cell                                       |
///     | read   | the write is unordered                              | own, or `many` after another thread's read     |
///     | write  | the write or read is unordered, or a lane of the    | own                                            |
///     |        | group has overwritten the cell                      |                                                |
///     | atomic | the write, unless atomic, or the read is unordered  | `atomic`                                       |
///     | use    | never                                               |                                                |
///     | define | never                                               | own                                            |
///
/// Reads, atomics and uses of an object with tracksUndefined also stop the kernel if no thread of the block has written
/// the cell.
///
/// Before the first write or atomic to a cell of an object that must be restored, the old value is copied.
///
/// Unordered means: by another thread, and neither in an earlier launch nor in an earlier epoch of the same block. The
/// blocks of a launch run one after another.
///
/// Lanes of a group run each instruction together. Before the kernel has been vectorized, no pass may therefore forward
/// a value stored to a cell to the load after it: vectorization runs this pass right before it widens instructions.
///
/// Needs: insert-race-filter has run. Leaves SIMT IR.
struct ExpandRaceFilter : llvm::PassInfoMixin<ExpandRaceFilter> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Runs the pass. Returns true if the function changed.
bool expandRaceFilter(llvm::Function &f);

} // namespace heddle::simt
