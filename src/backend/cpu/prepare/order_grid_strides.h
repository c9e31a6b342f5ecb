#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lets the threads of a grid-stride loop walk through memory.
///
///     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
///
/// On a GPU the threads of all blocks run together, and each round is one stretch of memory. Here a thread runs its
/// rounds one after the other, each far from the one before. So every 16 neighbours get a stretch of the range, which
/// they go through 16 elements at a time.
///
/// A loop is rewritten where nobody can tell which thread runs a round: it knows of the thread nothing but i, keeps no
/// value from one round to the next or for after the loop, writes to no address in two rounds, reads nothing that
/// another round writes, and uses no result of an atomic. Blocks whose extent is no multiple of 16 go the usual way.
///
/// A loop that knows its block (its shared memory) keeps the block's elements: every 16 neighbours get as many 16ths of
/// the block's rounds as there are rounds, and go through them in order. Each prefetches what the next round reads.
///
/// Needs: promoted memory and simplified expressions (instcombine has run).
struct OrderGridStrides : llvm::PassInfoMixin<OrderGridStrides> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
