#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Reorders the iterations of grid-stride loops so that threads walk through contiguous memory.
///
///     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
///
/// On a GPU, the threads of all blocks run concurrently, and each iteration covers a contiguous range. On a CPU, a
/// thread runs its iterations one after another, each far from the previous one. Therefore each group of up to 16
/// neighbors that run as a vector gets a contiguous chunk of the range, which it traverses together.
///
/// A loop is rewritten only if the thread that runs an iteration is unobservable. The loop must depend on the thread
/// only through i, carry no values, write no address in two iterations, read nothing that another iteration writes, and
/// use no result of an atomic. If a checked index may be out of bounds, threads keep their iterations. Blocks whose
/// extent is not a multiple of the group size are unchanged.
///
/// If a loop depends on its block (through shared memory), the block keeps its elements. Each iteration is then split
/// into one part per group of neighbors; each group gets as many parts as there are iterations, and runs them in order.
/// Each iteration prefetches the data that the next iteration loads.
///
/// Needs: mem2reg and instcombine have run.
struct ReorderGridStrideLoops : llvm::PassInfoMixin<ReorderGridStrideLoops> {
  /// lanes: threads per vector if there are no warp operations, a power of two.
  explicit ReorderGridStrideLoops(unsigned lanes) : lanes(lanes) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  unsigned lanes;
};

} // namespace heddle::cpu
