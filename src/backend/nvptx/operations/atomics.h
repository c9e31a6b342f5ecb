#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers atomics to instructions with their scope.
///
///     before                                              after
///       call i32 @simt.atomic.add.i32.p1(%p, %v, 1)         atomicrmw add %p, i32 %v syncscope("device") monotonic
///       call i32 @simt.atomic.cas.i32.p1(%p, %a, %v, 1)     cmpxchg .. syncscope("device") monotonic monotonic
///       call float @simt.atomic.min.f32.p1(%p, %v, 1)       a loop around cmpxchg
///       call i32 @simt.atomic.add.i32.p1(%p, %v, 2)         asm "atom.relaxed.sys.global.add.u32 $0, [$1], $2;"
///
/// Operations without a PTX instruction (64-bit inc and dec, minima of floats) become compare-and-swap loops. They are
/// lock-free: a failed exchange means that another thread has succeeded.
struct LowerAtomics : llvm::PassInfoMixin<LowerAtomics> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
