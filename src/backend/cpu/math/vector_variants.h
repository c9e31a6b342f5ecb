// Calls of scalar functions that have vector variants, by LLVM's attribute (VectorMath::addVectorVariants).
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

bool hasVectorVariants(const llvm::CallInst &call);

/// Emits the call for vectors of `lanes` elements, a power of two, as several calls if no variant is that wide. Returns
/// null if all variants are wider.
llvm::Value *callVectorVariants(llvm::IRBuilderBase &b, const llvm::CallInst &call,
                                llvm::ArrayRef<llvm::Value *> operands, unsigned lanes);

} // namespace heddle::cpu
