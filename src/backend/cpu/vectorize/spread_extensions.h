#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Extends the operands of sums and products instead of the results, where these are known not to wrap around:
/// sext(a +nsw b) becomes sext(a) +nsw sext(b).
///
/// An extended sum of a thread index has a stride then, also for lanes that do not run and whose sum wraps around.
void spreadExtensions(llvm::Function &f);

} // namespace heddle::cpu
