// Queries that back ends share while lowering operations.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Returns true if `f` is the definition of a kernel.
bool isKernel(const llvm::Function &f);

/// The calls of SIMT operations in `f`, in order.
llvm::SmallVector<llvm::CallInst *, 8> simtCalls(llvm::Function &f);

} // namespace heddle::simt
