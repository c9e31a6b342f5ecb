#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Turns non-temporal loads and stores of global memory into PTX that evicts their lines first. LLVM 22 ignores the hint.
///
///     before                                                after
///       load float, ptr addrspace(1) %p, !nontemporal !0      call i32 asm "ld.global.cs.b32 $0, [$1];", "=r,l"
///                                                               (ptr addrspace(1) %p), then a bitcast
///
/// Needs: no pass that optimizes loads and stores follows.
struct EmitStreamingAccesses : llvm::PassInfoMixin<EmitStreamingAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
