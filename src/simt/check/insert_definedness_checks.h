// Inserts the checks of `heddle check` for uses of values from uninitialized memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Tracks loaded values to their uses. A store of a loaded value, possibly through phis, selects and integer
/// conversions, copies its definedness. Every other operation uses the value.
///
///     before                          after
///       %v = load float, ptr %p         %d = call i64 @simt.check.load(3, %p, %base, 4)
///       store float %v, ptr %q          %v = load float, ptr %p
///       %w = fadd float %v, 1.0         store float %v, ptr %q
///                                       call void @simt.check.store(%q, 4, %d)
///                                       call void @simt.check.use(4, %d)
///                                       %w = fadd float %v, 1.0
///
/// Atomics use the old value; an exchange only if the program uses its result. Loads of more than 16 bytes, and bit
/// fields of C++ structures, count as defined.
///
/// Needs: InsertAccessChecks has run. Leaves SIMT IR.
struct InsertDefinednessChecks : llvm::PassInfoMixin<InsertDefinednessChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
