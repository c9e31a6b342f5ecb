#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Stores each element of what a memset or memcpy writes to local arrays, and of structures that are copied elsewhere.
void expandShortCopies(llvm::Function &f);

} // namespace heddle::cpu
