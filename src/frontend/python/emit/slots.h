// Values in 8-byte slots, one per part, as in calls and lists.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

inline constexpr unsigned slotBytes = 8;

/// The address of slot `number` in the array `slots`.
llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number);
/// Per part of a value: true if it is a signed integer, which is stored sign-extended.
llvm::SmallVector<bool, 8> signedParts(Type type, llvm::LLVMContext &context);
void storeSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *part, bool isSigned);
/// Loads one part. An extent is known not to be negative.
llvm::Value *loadSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Type *type,
                      bool isExtent = false);

} // namespace heddle::python
