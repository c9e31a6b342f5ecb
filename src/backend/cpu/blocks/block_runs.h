// Which kernels run a row of blocks together, row of threads by row of threads.
#pragma once

#include "backend/cpu/blocks/block_context.h"

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Whether blocks of the kernel may run interleaved and gain from it: threads that need nothing of their block, and no
/// loop of many rounds. Such threads do little with what they read; small blocks one after the other walk through as
/// many rows of memory at once as they have rows, and in powers of two these are all in the same lines of the cache.
/// A loop of many rounds, though, reads what the block's next row of threads reads again, and so does a thread that accesses
/// columns.
///
/// Needs: operations are lowered, but for barriers. What a block has of its own is reached by the context.
BlockRuns runsOf(llvm::Function &kernel);

/// The axis of the grid along which such a kernel's blocks are run together.
unsigned axisOf(BlockRuns runs);

/// Whether `i` reads the block's index along the axis.
bool readsBlockIndex(const llvm::Instruction &i, const llvm::Value &context, unsigned axis);

} // namespace heddle::cpu
