#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Expands short memset and memcpy calls of local arrays, and short copies of structures, into loads and stores of
/// elements.
void expandShortCopies(llvm::Function &f);

} // namespace heddle::cpu
