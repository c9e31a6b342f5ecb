// Loads of tables in constant memory that loops walk through.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Makes the address of a table in constant memory look different for each thread, if a loop loads from the table at an
/// index that all threads share. It adds bit 4 of the number of bits in the lane ID, which is 0.
///
///     before                                   after
///       loop:                                    %lane = call @llvm.nvvm.read.ptx.sreg.laneid()
///         %p = getelementptr @table, %i          %bits = call asm "popc.b32 $0, $1;" (%lane)
///         %v = load float, %p                    %zero = and %bits, 16
///                                                %own = getelementptr i8, @table, %zero
///                                              loop:
///                                                %p = getelementptr %own, %i
///                                                %v = load float, %p
///
/// ptxas loads from a shared address by ULDC. Tables of more than 256 bytes do not fit into the cache of that
/// instruction: on an H200, a loop that walks through one takes 8 to 11 times as long as with LDC, which each thread
/// executes. Smaller tables take the same time.
struct SpreadConstantLoads : llvm::PassInfoMixin<SpreadConstantLoads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
