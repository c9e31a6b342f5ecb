// Chooses kernels that run a row of blocks together, interleaved by rows of threads.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Decides whether to interleave the kernel's blocks. That pays off if threads do little work per element: if small
/// blocks run one after another, each block accesses as many rows of memory as it has rows of threads, and power-of-two
/// strides map all these rows to the same cache sets. It does not pay off for kernels with loops of large trip counts
/// or column accesses, in which a block's next row of threads reads the same data again. Kernels with barriers, shared
/// memory, calls or atomics are never interleaved.
///
/// Needs: all operations except barriers are lowered; block state is accessed through the context.
BlockRuns chooseBlockInterleaving(llvm::Function &kernel);

/// The grid axis along which the blocks run together.
unsigned gridAxisOf(BlockRuns runs);

/// Returns true if `i` loads the block index of that axis.
bool readsBlockIndex(const llvm::Instruction &i, const llvm::Value &context, unsigned axis);

} // namespace heddle::cpu
