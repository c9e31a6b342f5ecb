#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Exports the plan of each kernel as an entry, through which the runtime calls it.
///
///     @k.entry = constant { i32, i32, ..., ptr, ptr, ptr } { version, shared bytes, ..., @k, null, null }
///
/// The members are those of KernelEntry. A kernel that can call a recursive function, or whose threads use more than 32
/// KiB of local memory, needs a deep stack.
/// Needs: kernels have the signature of a BlockFunction or a ThreadFunction.
/// Leaves: entries and module variables as the only exported symbols.
struct EmitEntries : llvm::PassInfoMixin<EmitEntries> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
