// Loads a kernel's parameters from a launch's argument slots.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Replaces the user's parameters of `kernel` (all except those that bind-context adds) by loads from `slots` (8 bytes
/// each, the value in the low bytes) at the builder's position. The parameter of a structure becomes its address there. Parameter attributes become load metadata where
/// possible. Unused parameters are not loaded.
void loadKernelArguments(llvm::IRBuilderBase &b, llvm::Function &kernel, llvm::Value *slots);

/// Loads some parameters of `kernel`.
llvm::SmallVector<llvm::Value *, 16> loadParameters(llvm::IRBuilderBase &b, llvm::Function &kernel,
                                                    llvm::ArrayRef<llvm::Argument *> parameters,
                                                    llvm::Value *slots);

} // namespace heddle::cpu
