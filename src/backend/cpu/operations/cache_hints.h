#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers loads and stores with a cache operator to plain ones: the hints apply to GPU caches.
///
///     before                                             after
///       %v = call i32 @simt.load.cached.i32.p1(%p, 1)      %v = load i32, ptr addrspace(1) %p
///       %v = call i32 @simt.load.cached.i32.p1(%p, 4)      %v = load volatile i32, ptr addrspace(1) %p
///       call void @simt.store.cached.i32.p1(%p, %v, 2)     store i32 %v, ptr addrspace(1) %p
///
/// Operator 4, "cv", requires that memory is loaded each time.
struct LowerCacheHints : llvm::PassInfoMixin<LowerCacheHints> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
