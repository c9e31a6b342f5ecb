// Thread coarsening: several consecutive threads' work in one thread, with 16-byte accesses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// The attribute of a kernel that has a coarsened form: "<factor>,<name>".
inline constexpr const char *coarsenedAttribute = "nvptx.coarsened";

/// Adds to each kernel whose threads are independent and whose accesses have unit stride in the thread's index a second
/// kernel that does the work of `factor` consecutive threads (4 for 4-byte elements, 2 for 8-byte ones) in one.
///
///     before                               after, besides the kernel itself
///       i = ctaid * ntid + tid               q = ctaid * ntid + tid; i0 = 4 q
///       if (i < n)                           if (i0 + 3 < nctaid' * ntid && every i0 .. i0 + 3 passes the guard)
///         c[i] = a[i] + b[i]                   c[i0] = ..; c[i0 + 1] = ..; c[i0 + 2] = ..; c[i0 + 3] = ..
///                                            else
///                                              for each i of i0 .. i0 + 3 below nctaid' * ntid: as before
///
/// nctaid' is a last parameter, i32: the grid's extent along x as the user gave it. The runtime launches this form for
/// large grids of one dimension, with a quarter of the blocks. A remark says when and why not.
///
/// Needs: SIMT IR, device functions inlined, simplified. Leaves SIMT IR.
struct CoarsenThreads : llvm::PassInfoMixin<CoarsenThreads> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::nvptx
