#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Loops whose counter may start below zero get a version for when it does not. There no index is tested for its sign:
/// `for k in range(first, last): total += a[k]`
///
///     before                                   after
///       loop:                                    %tested = icmp ugt i64 %first, 2^61
///         %k = add nsw i64 %first, %round        br i1 %tested, loop as before, loop
///         %below = icmp slt i64 %k, 0          loop:
///         %end = add i64 %k, %size               %k = add nsw i64 %first, %round
///         %i = select i1 %below, %end, %k        %p = getelementptr float, %a, %k
///         %p = getelementptr float, %a, %i
///
/// The indices are sums of a value that the loop does not change and a multiple of the round; the loop is short. LLVM's
/// SimpleLoopUnswitch makes the versions.
class UnswitchIndexSigns : public llvm::PassInfoMixin<UnswitchIndexSigns> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
