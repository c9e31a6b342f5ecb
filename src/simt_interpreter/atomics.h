// The new value in memory after an atomic operation.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"

namespace heddle::interpreter {

/// Computes the new value in memory from the old one. `type` is the type of the value in memory; `expected` is the
/// first operand of AtomicCas, otherwise ignored.
llvm::APInt computeAtomic(simt::Op op, const llvm::Type *type, const llvm::APInt &old,
                          const llvm::APInt &value, const llvm::APInt &expected);

} // namespace heddle::interpreter
