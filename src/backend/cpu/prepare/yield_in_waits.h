#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lets other threads run while one waits for them in a loop (simt/analysis/spin_loops.h): simt.yield goes where the
/// loop begins anew. A worker runs the threads of its blocks one after the other, so without it a thread that waits for
/// a later one would wait for ever. simt.nanosleep in such a loop goes: the system's shortest sleep takes longer than a
/// round of all other threads. Kernels only: code of functions that are not inlined cannot be left.
///
/// Needs: promoted memory and simplified expressions.
struct YieldInWaits : llvm::PassInfoMixin<YieldInWaits> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
