// Stack slots for vectors.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

/// The alignment of a slot: a cache line.
inline const llvm::Align vectorSlotAlign(64);

/// Creates a slot of the given type, a vector or an array of its elements, in the entry block of `f`.
llvm::AllocaInst *createVectorSlot(llvm::Type &type, llvm::Function &f);

} // namespace heddle::cpu
