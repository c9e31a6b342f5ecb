// What every back end asks while it lowers operations.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Whether `f` is the definition of a kernel.
bool isKernel(const llvm::Function &f);

/// Calls of operations in `f`, in order.
llvm::SmallVector<llvm::CallInst *, 8> simtCalls(llvm::Function &f);

} // namespace heddle::simt
