// Emits checks that stop the filter form of a kernel.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// Emits a simt.check.index that stops the kernel unless `number`, an i64, is in [0, limit). The launch is then
/// repeated in the exact form. `what` describes the check to readers of the IR.
void emitStopUnlessBelow(llvm::IRBuilderBase &b, llvm::Value *number, uint64_t limit,
                         llvm::StringRef what, llvm::Instruction &at);
/// Emits a check that stops the kernel if `condition`, an i1, is true.
void emitStopIf(llvm::IRBuilderBase &b, llvm::Value *condition, llvm::StringRef what,
                llvm::Instruction &at);

} // namespace heddle::simt
