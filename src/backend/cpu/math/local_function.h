#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Creates a function without a body, a pure function of its arguments, in the caller's module. It is not inlined.
/// caller: a function with the target attributes of all callers; vector arguments are passed according to these.
llvm::Function *createLocalFunction(llvm::Function &caller, llvm::FunctionType &type,
                                    llvm::StringRef name);

} // namespace heddle::cpu
