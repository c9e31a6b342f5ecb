// Values in slots of 8 bytes, one for each part: as calls pass them, and as lists keep them.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

inline constexpr unsigned slotBytes = 8;

/// Slot `number` of those that begin at `slots`.
llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number);
/// For each part of a value, whether it is a signed integer: those are kept with their sign.
llvm::SmallVector<bool, 8> signsOfParts(Type type, llvm::LLVMContext &context);
void storeSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *part, bool isSigned);
/// One part; an extent is never negative.
llvm::Value *loadSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Type *type,
                      bool isExtent = false);

} // namespace heddle::python
