#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers loads and stores with a cache operator to PTX instructions.
///
///     before                                             after
///       %v = call i32 @simt.load.cached.i32.p1(%p, 1)      %v = asm "ld.global.cg.b32 $0, [$1];"
///       call void @simt.store.cached.i32.p1(%p, %v, 2)     asm "st.global.cs.b32 [$0], $1;"
///       %v = call i32 @simt.load.cached.i32.p1(%p, 4)      %v = load volatile i32, ptr addrspace(1) %p
///
/// Shared and local memory have no cache operators (PTX ISA 9.0, table 29: cache operators).
struct LowerCacheHints : llvm::PassInfoMixin<LowerCacheHints> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
