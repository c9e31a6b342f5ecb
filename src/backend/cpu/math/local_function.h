#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Creates a function in the caller's module, without a body, with the attributes of a pure function that is not
/// inlined. caller: a function with the target attributes of all callers, which determine how vectors are passed.
llvm::Function *createPureInternalFunction(llvm::Function &caller, llvm::FunctionType &type,
                                           llvm::StringRef name);

} // namespace heddle::cpu
