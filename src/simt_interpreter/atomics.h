// The value that an atomic leaves in memory.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"

namespace heddle::interpreter {

/// `type` is that of the value in memory; `expected` is the first operand of AtomicCas, else ignored.
llvm::APInt afterAtomic(simt::Op op, const llvm::Type *type, const llvm::APInt &old,
                        const llvm::APInt &value, const llvm::APInt &expected);

} // namespace heddle::interpreter
