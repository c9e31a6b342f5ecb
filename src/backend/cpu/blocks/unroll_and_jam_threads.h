#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Unrolls and jams the loop over a block's threads into an inner loop in which several threads share loads. In a naive
/// matrix product, all rows of threads walk through the same rows of b.
///
///     before                                    after
///       y: %y = phi [0], [%y + 1]                 y: %y = phi [0], [%y + 1], [%y + 2]
///         br %whole, loop, some                     br (%y + 1 < %rows), first, one
///       loop:                                     first:                         ; without effects
///         %k, %sum                                  br %whole(%y), second, one
///         load a[y][k]                            second:
///         load b[k][x]                              br %whole(%y + 1), loop, one
///         br %more, loop, end                     loop:
///       end:                                        %k, %sum0, %sum1
///         store                                     load a[y][k]
///         br y                                      load a[y + 1][k]
///                                                   load b[k][x]
///                                                   br %more, loop, end0
///                                                 end0, end1: store; br y
///                                                 one: as before, for a single row
///
/// A thread that stops the kernel before the inner loop does so in the unjammed copy. Threads between two barriers are
/// unordered, so stores do not matter. All threads must have the same trip count, in a single-block inner loop without
/// stores. The number of threads is limited so that their vectors stay in registers.
///
/// Needs: loops over threads are marked (block_function.h); loops are rotated.
class UnrollAndJamThreads : public llvm::PassInfoMixin<UnrollAndJamThreads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
