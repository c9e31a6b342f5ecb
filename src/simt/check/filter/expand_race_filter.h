#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Replaces the marks of insert-race-filter by code that tests and updates cells, and stops the kernel if threads may
/// race. It may stop a kernel without a race, but lets no race pass, except those that the plan leaves to the launch.
///
/// A cell is a number: the block, the epoch (1 plus the barriers that the thread has passed) and a code, from the most
/// significant bit on. The code is the index of the thread in its block, or one of those below. Each object has cells
/// for writes and, if threads read it, for reads. A cell of an earlier launch is less than all of this launch; the launch
/// clears the cells of shared memory before each block, so these need no block.
///
///     | access | may race if                                         | new cell                                       |
///     | read   | the write is unordered                              | own, or `many` after another thread's read     |
///     | write  | the write or read is unordered, or a lane of the    | own                                            |
///     |        | group has overwritten the cell                      |                                                |
///     | atomic | the write, unless atomic, or the read is unordered  | `atomic`                                       |
///     | use    | never                                               |                                                |
///
/// Reads, atomics and uses of shared memory also stop the kernel if no thread of the block has written the cell.
///
/// Before the first write or atomic to a cell of an object that must be restored, the old value is copied.
///
/// Unordered: of another thread, and neither of an earlier launch nor of an earlier epoch of the same block. The blocks
/// of a launch run one after another.
///
/// Lanes of a group run each instruction together. Therefore no pass may forward the value of a cell's store to the load
/// after it before the kernel has been vectorized: vectorization runs this pass right before it widens instructions.
///
/// Needs: insert-race-filter has run. Leaves SIMT IR.
struct ExpandRaceFilter : llvm::PassInfoMixin<ExpandRaceFilter> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Same. Returns true if the function changed.
bool expandRaceFilter(llvm::Function &f);

} // namespace heddle::simt
