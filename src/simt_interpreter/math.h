// The mathematical functions of SIMT IR.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::interpreter {

/// The result of simt.math.*, whose overload is `type`, within a rounding error of the C library's for doubles. What
/// rounds down, up or to zero is exact. Throws Failure (Unsupported) for functions that the C library does not have.
llvm::APInt computeMath(simt::Op op, const llvm::Type *type, llvm::ArrayRef<llvm::APInt> operands);

} // namespace heddle::interpreter
