#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Keeps the threads of a warp in step where a kernel counts on it: where a thread reads what a neighbour, one of the next
/// 31 threads along x, writes to shared memory, and no barrier is in between. Old reductions and scans do so in their last
/// warp:
///
///     volatile int *s = sums;
///     s[t] += s[t + 16];
///     s[t] += s[t + 8];
///
/// A barrier of the lanes that are active goes between such accesses. The accesses need not be volatile then: the
/// barriers keep their order.
///
/// Needs: promoted memory and simplified expressions.
struct KeepWarpsInStep : llvm::PassInfoMixin<KeepWarpsInStep> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
