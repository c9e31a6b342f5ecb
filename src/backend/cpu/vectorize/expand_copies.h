#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Expands memset and memcpy calls of constant length on local arrays, and short copies of structures, into loads and
/// stores of elements. More than 16 elements are copied in a loop.
void expandShortCopies(llvm::Function &f);

} // namespace heddle::cpu
