// Decides which kernels run a row of blocks together, interleaved by rows of threads.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Decides whether to interleave the kernel's blocks. That requires threads that use no state of their block, and no
/// loops with large trip counts. Such threads do little work per element. If small blocks run one after another, each
/// accesses as many rows of memory as it has rows of threads, and power-of-two strides map all these rows to the same
/// cache sets. In contrast, a loop with a large trip count reads data that the block's next row of threads reads again,
/// and so does a thread that accesses columns.
///
/// Needs: all operations except barriers are lowered; block state is accessed through the context.
BlockRuns chooseBlockRuns(llvm::Function &kernel);

/// The grid axis along which the blocks run together.
unsigned gridAxisOf(BlockRuns runs);

/// Returns true if `i` loads the block index of that axis.
bool readsBlockIndex(const llvm::Instruction &i, const llvm::Value &context, unsigned axis);

} // namespace heddle::cpu
