// Counters of a block's own, in shared memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Counts in shared memory what threads add to the first elements of an array over and over, and adds each block's sums
/// to the array at its end.
///
///     before                              after
///       loop:                               clear mine[0 .. 1023]; barrier
///         atomic add (counts + b), 1        loop:
///                                             if b < 1024  atomic add (mine + b), 1
///                                             else         atomic add (counts + b), 1
///                                           barrier; add what is not 0 of mine to counts
///
/// For integer sums in a loop whose old values nobody uses, into an array that the kernel does not touch otherwise and no
/// other argument overlaps: then nobody can tell. A histogram of 150 bins is bound by the traffic on a few lines of the
/// second-level cache otherwise: 256 us for a million values on an H200, whoever compiles it.
///
/// Needs: SIMT IR, device functions inlined. Leaves SIMT IR.
struct PrivatizeCounters : llvm::PassInfoMixin<PrivatizeCounters> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::nvptx
