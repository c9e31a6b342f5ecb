// A launch's argument slots as a kernel's parameters.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Replaces the user's parameters of `kernel` (those after bind-context's) by loads from `slots` (8 bytes each, the
/// value in the low bytes) at the builder's position. What the parameters' attributes promise goes to the loads as
/// far as a load can say it. Parameters without uses are not loaded.
void loadKernelArguments(llvm::IRBuilderBase &b, llvm::Function &kernel, llvm::Value *slots);

/// The load of one parameter.
llvm::LoadInst *loadKernelArgument(llvm::IRBuilderBase &b, llvm::Argument &parameter,
                                   llvm::Value *slots);

} // namespace heddle::cpu
