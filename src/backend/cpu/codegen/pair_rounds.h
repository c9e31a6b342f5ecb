#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Short loops whose rounds are counted as they run, in code of one thread at a time, go on by two rounds. Where the number
/// is odd, the first round is computed before, and its values are chosen without a branch:
///
///     before                                       after
///       loop:                                        %first = values of round 0
///         %k = phi i64 [ 0, .. ], [ %next, %loop ]   %odd = trunc i64 %n to i1
///         ..                                         %start = select i1 %odd, %first, (values before the loop)
///         %more = icmp ne i64 %next, %n              br i1 (%n == 1), out, loop
///         br i1 %more, label %loop, label %out     loop:
///                                                    round %k, round %k + 1
///                                                    br i1 %more, label %loop, label %out
///
/// A row of a sparse matrix takes a fifth less time: its length is guessed wrongly anyhow, and a branch for a round that is
/// left would be, too. A round may end the kernel where an index is out of bounds. Loops that write are left alone, as the first
/// round may be computed twice.
class PairRounds : public llvm::PassInfoMixin<PairRounds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
