#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers traps to calls of a function that writes the error record (see error_record.h) and ends the thread.
///
///     before                                     after
///       call void @simt.trap.index(7, %i, %n)      call void @heddle_trap(i32 7, i64 %i, i64 %n)    ; noreturn, cold
///       unreachable                                unreachable
///
/// The function is not inlined, so that it needs no registers in the hot path.
struct LowerTraps : llvm::PassInfoMixin<LowerTraps> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
