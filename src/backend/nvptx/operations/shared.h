#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Gives the block's dynamic shared memory a name and makes allocations and shared variables good to vectorize.
///
///     before                                       after
///       %p = call p3 @simt.shared.dynamic()          @heddle_dynamic_shared (external, [0 x i8], align 16)
///       @tile = internal addrspace(3) global ..      the same, align 16
///
/// The kernels of a module share the one name: the launch gives each its size.
struct LowerShared : llvm::PassInfoMixin<LowerShared> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
