#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers dynamic shared memory to an external variable, and aligns shared variables for vector accesses.
///
///     before                                       after
///       %p = call p3 @simt.shared.dynamic()          @heddle_dynamic_shared (external, [0 x i8], align 16)
///       @tile = internal addrspace(3) global ..      the same, align 16
///
/// In a module with products of warpgroups, variables of 1024 bytes and more are aligned to 1024 bytes.
///
/// All kernels of a module share the external variable; the launch sets the size.
struct LowerShared : llvm::PassInfoMixin<LowerShared> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
