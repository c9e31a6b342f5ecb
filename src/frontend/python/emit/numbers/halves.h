// Floats of 16 bits: what they compute in float32, and conversions that round otherwise than to nearest.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Calls an LLVM intrinsic of floats that all have one type. Those of 16 bits go through float32, which rounds no
/// result of min, max, floor and the like.
llvm::Value *floatIntrinsic(llvm::IRBuilder<> &b, llvm::Intrinsic::ID id,
                            llvm::ArrayRef<llvm::Value *> operands);

/// How a conversion rounds what the target does not hold.
enum class Rounding { Nearest, Zero, Down, Up };

/// A number of type `from`, an integer or a float of 32 or 64 bits, as a float of 16 bits.
llvm::Value *roundedToHalf(Emitter &e, llvm::Value *v, Type from, Type half, Rounding rounding);

/// A float of 16 bits as an integer. What the integer does not hold becomes its nearest value, NaN becomes 0.
llvm::Value *halfToInteger(Emitter &e, llvm::Value *v, Type to, Rounding rounding);

} // namespace heddle::python
