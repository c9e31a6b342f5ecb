// What every back end asks while it lowers operations.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// Whether `f` is the definition of a kernel.
bool isKernel(const llvm::Function &f);

/// Calls of operations in `f`, in order.
llvm::SmallVector<llvm::CallInst *, 8> simtCalls(llvm::Function &f);

/// The atomicrmw operation that means the same as an atomic one; nothing where LLVM has none.
std::optional<llvm::AtomicRMWInst::BinOp> sameOperation(Op op, bool isFloat);

} // namespace heddle::simt
