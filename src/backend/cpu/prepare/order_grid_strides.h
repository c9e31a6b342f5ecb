#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lets the threads of a grid-stride loop walk through memory.
///
///     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
///
/// On a GPU the threads of all blocks run together, and each round is one stretch of memory. Here a thread runs its
/// rounds one after the other, each far from the one before. So neighbours that run as one vector, 16 at most, get a
/// stretch of the range, which they go through together.
///
/// A loop is rewritten where nobody can tell which thread runs a round: it knows of the thread nothing but i, keeps no
/// value from one round to the next or for after the loop, writes to no address in two rounds, reads nothing that
/// another round writes, and uses no result of an atomic. Where an index that is checked may be out of bounds, threads keep their rounds. Blocks whose extent is no multiple of as many go the usual way.
///
/// A loop that knows its block (its shared memory) keeps the block's elements: a round has a part for each such group of
/// neighbours, and each group gets as many parts as there are rounds, which it goes through in order. Each prefetches what
/// the next round reads.
///
/// Needs: promoted memory and simplified expressions (instcombine has run).
struct OrderGridStrides : llvm::PassInfoMixin<OrderGridStrides> {
  /// `lanes`: threads that run as one vector where there are no warps, a power of two.
  explicit OrderGridStrides(unsigned lanes) : lanes(lanes) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  unsigned lanes;
};

} // namespace heddle::cpu
