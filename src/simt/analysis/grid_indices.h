// Matches the expressions by which programs compute a thread's index in the grid.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Strips all sign and zero extensions from `v`.
llvm::Value *stripExtensions(llvm::Value *v);

/// Matches the product of the results of operations `a` and `b`. Ignores sign and zero extensions of the operands and
/// of the product.
bool isProductOfOperations(llvm::Value *v, Op a, Op b);

/// If `v` is blockIdx * blockDim + threadIdx along x, returns the product, which is the index of the block's first
/// thread; else null. The product and all operations may be extended. block: BlockIdX, or the operation that a
/// reordered kernel uses instead.
llvm::Value *findBlockStartOfGridIndex(llvm::Value &v, Op block = Op::BlockIdX);

/// Matches gridDim.x * blockDim.x, extended or not.
inline bool isGridSize(llvm::Value *v) {
  return isProductOfOperations(v, Op::GridDimX, Op::BlockDimX);
}

} // namespace heddle::simt
