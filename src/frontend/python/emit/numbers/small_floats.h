// Floats of 8 bits in memory.
#pragma once

#include "frontend/python/types/small_floats.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::python {

/// The float32 of the number whose code in the format is the byte `code`.
llvm::Value *decodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *code, const SmallFloat &format);
/// The byte that is the code of the number next to the float32 `v`, with ml_dtypes' rounding.
llvm::Value *encodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *v, const SmallFloat &format);

} // namespace heddle::python
