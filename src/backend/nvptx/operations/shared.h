#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Names the block's dynamic shared memory, and aligns allocations and shared variables for vectorization.
///
///     before                                       after
///       %p = call p3 @simt.shared.dynamic()          @heddle_dynamic_shared (external, [0 x i8], align 16)
///       @tile = internal addrspace(3) global ..      the same, align 16
///
/// All kernels of a module share the name; the launch gives the size.
struct LowerShared : llvm::PassInfoMixin<LowerShared> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
