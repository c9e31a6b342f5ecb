#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Exports what the runtime enters a kernel by.
///
///     @k.entry = constant { i32, i32, i32, i32, ptr, ptr } { version, shared bytes, local bytes, deep, @k, null }
///
/// The members are those of KernelEntry. A kernel that can call a recursive function, or whose threads have more than
/// 32 KiB of local memory, is marked as needing a deep stack.
/// Needs: every kernel has the attribute "heddle.entry". Leaves: the entries, and module variables, as the only exported symbols.
struct EmitEntries : llvm::PassInfoMixin<EmitEntries> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
