// Block-private counters in shared memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Replaces repeated atomic additions to the first elements of an array by counters in shared memory. Before a
/// block ends, it adds its counters to the array.
///
///     before                              after
///       loop:                               clear mine[0 .. 1023]; barrier
///         atomic add (counts + b), 1        loop:
///                                             if b < 1024  atomic add (mine + b), 1
///                                             else         atomic add (counts + b), 1
///                                           barrier; add nonzero elements of mine to counts
///
/// Applies to integer additions in loops with unused results. The kernel must not access the array otherwise, and no
/// other argument may overlap it, so the change is not observable. Without this pass, a histogram of 150 bins is bound
/// by traffic on a few L2 cache lines: 256 us for a million values on an H200, with any compiler.
///
/// Needs: SIMT IR, device functions inlined. Leaves SIMT IR.
struct PrivatizeCounters : llvm::PassInfoMixin<PrivatizeCounters> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::nvptx
