// 16-bit floats: operations computed in float32, and conversions with directed rounding.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Calls an LLVM intrinsic whose operands and result have one float type. 16-bit floats are computed in float32, which
/// is exact for min, max, floor and the like.
llvm::Value *emitFloatIntrinsic(llvm::IRBuilder<> &b, llvm::Intrinsic::ID id,
                                llvm::ArrayRef<llvm::Value *> operands);

/// The rounding mode of a conversion.
enum class Rounding { Nearest, Zero, Down, Up };

/// Converts an integer, float32 or float64 of type `from` to the 16-bit float type `half`.
llvm::Value *roundToHalf(Emitter &e, llvm::Value *v, Type from, Type half, Rounding rounding);

/// Converts a 16-bit float to an integer. Saturates out-of-range values; NaN becomes 0.
llvm::Value *halfToInteger(Emitter &e, llvm::Value *v, Type to, Rounding rounding);

} // namespace heddle::python
