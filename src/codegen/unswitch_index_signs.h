#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Unswitches loops whose induction variable may start below zero: the version for nonnegative indices has no sign
/// tests. `for k in range(first, last): total += a[k]`
///
///     before                                   after
///       loop:                                    %tested = icmp ugt i64 %first, 2^61
///         %k = add nsw i64 %first, %iter         br i1 %tested, loop as before, loop
///         %below = icmp slt i64 %k, 0          loop:
///         %end = add i64 %k, %size               %k = add nsw i64 %first, %iter
///         %i = select i1 %below, %end, %k        %p = getelementptr float, %a, %k
///         %p = getelementptr float, %a, %i
///
/// Indices must be the sum of a loop invariant and a multiple of the iteration number, and the loop must be short.
/// LLVM's SimpleLoopUnswitch creates the versions.
class UnswitchIndexSigns : public llvm::PassInfoMixin<UnswitchIndexSigns> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
