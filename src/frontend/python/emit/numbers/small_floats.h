// 8-bit floats in memory.
#pragma once

#include "frontend/python/types/small_floats.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::python {

/// Decodes the byte `code` of the format to float32.
llvm::Value *decodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *code, const SmallFloat &format);
/// Encodes the float32 `v` as the nearest number of the format, with ml_dtypes' rounding.
llvm::Value *encodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *v, const SmallFloat &format);

} // namespace heddle::python
