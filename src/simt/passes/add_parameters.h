// Functions with further parameters.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Moves a function's name, body, attributes and metadata to a new function with the same linkage, which has further
/// parameters before and after the others. The old function is left without a body.
llvm::Function *addParameters(llvm::Function &f, llvm::ArrayRef<llvm::Type *> front,
                              llvm::ArrayRef<llvm::Type *> back);

} // namespace heddle::simt
