// Emits the offset of an address from the start of its object.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// Emits the offset in bytes of `address` from `object`, from which it is derived.
llvm::Value *emitOffset(llvm::IRBuilderBase &b, llvm::Value &address, llvm::Value &object);

} // namespace heddle::simt
