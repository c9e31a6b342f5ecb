#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Runs a loop that a block's threads have in common for several of them at once, where they read the same in it: naive
/// products of matrices, in which all rows of a block's threads walk through the same rows of b.
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
///                                                 one: as before, for a row alone
///
/// A thread that stops the kernel on its way to the loop does so alone.
/// Threads between two barriers have no order, so it does not matter what they store. All run as many rounds of the
/// loop, of one block that writes nothing, and so many of them that their vectors stay in registers.
///
/// Needs: loops over threads are marked (block_function.h); loops are rotated.
class JamThreads : public llvm::PassInfoMixin<JamThreads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
