// Arrival counters in shared memory: mbarrier objects.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Emits the completion of a transfer of `bytes` (i32) for the mbarrier at address operand `n`.
void emitTransferCompletion(Step &s, size_t n, llvm::Value *bytes);
/// Emits an arrival at the mbarrier at address operand `n`.
void emitArrival(Step &s, size_t n);

} // namespace heddle::ptx
