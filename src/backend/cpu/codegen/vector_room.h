// Memory for vectors on a function's stack.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

/// Where such room begins: at the start of a cache line.
inline const llvm::Align vectorRoomAlign(64);

/// Room for a vector, or for its elements, made where the function is entered.
llvm::AllocaInst *roomFor(llvm::Type &type, llvm::Function &f);

} // namespace heddle::cpu
