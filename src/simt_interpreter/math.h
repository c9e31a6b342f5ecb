// SIMT IR's math functions.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::interpreter {

/// Evaluates simt.math.* for the overload `type`, as accurately as the C library's double functions. Directed rounding
/// is exact. Throws Failure (Unsupported) for functions that the C library lacks.
llvm::APInt computeMath(simt::Op op, const llvm::Type *type, llvm::ArrayRef<llvm::APInt> operands);

} // namespace heddle::interpreter
