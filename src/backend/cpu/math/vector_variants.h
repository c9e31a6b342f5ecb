// Calls of functions of numbers that have forms for vectors, by LLVM's attribute (VectorMath::allowVectors).
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

bool hasVectorVariants(const llvm::CallInst &call);

/// The same call for vectors of so many operands, a power of two: by several calls where no form has so many. Null where
/// all forms have more.
llvm::Value *callVectorVariants(llvm::IRBuilderBase &b, const llvm::CallInst &call,
                                llvm::ArrayRef<llvm::Value *> operands, unsigned lanes);

} // namespace heddle::cpu
