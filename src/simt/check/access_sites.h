// Adds sites that describe memory accesses in the reports of `heddle check`.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"

namespace heddle::simt {

/// Adds a site of kind "access" or "atomic" for an access to `object`. The site's message is the array's name, if
/// known. Its arguments are the bytes of an element and the array's extents, innermost last, if the variable's type has
/// them.
unsigned addAccessSite(llvm::Instruction &access, const llvm::Value &object);

/// Returns the pointer that an address is computed from: the start of an array that a site's extents describe, a pointer
/// loaded from memory, or one that a loop advances.
llvm::Value *basePointerOf(llvm::Value &address);

llvm::Value *castToGeneric(llvm::IRBuilderBase &b, llvm::Value *pointer);

} // namespace heddle::simt
