// Thread coarsening: one thread does the work of several consecutive threads, with 16-byte accesses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Attribute of kernels with a coarsened form: "<factor>,<name>".
inline constexpr const char *coarsenedAttribute = "nvptx.coarsened";

/// Adds a coarsened form to each kernel whose threads are independent and whose accesses have unit stride in the thread
/// index. A thread of the coarsened form does the work of `factor` consecutive threads (4 for 4-byte elements, 2 for
/// 8-byte elements).
///
///     before                               after, in addition to the kernel
///       i = ctaid * ntid + tid               q = ctaid * ntid + tid; i0 = 4 q
///       if (i < n)                           if (i0 + 3 < nctaid' * ntid && every i0 .. i0 + 3 passes the guard)
///         c[i] = a[i] + b[i]                   c[i0] = ..; c[i0 + 1] = ..; c[i0 + 2] = ..; c[i0 + 3] = ..
///                                            else
///                                              for each i of i0 .. i0 + 3 below nctaid' * ntid: as before
///
/// nctaid' is an additional last parameter, i32: the grid's x extent from the launch. The runtime launches this form
/// for large one-dimensional grids, with 1 / factor of the blocks. A remark explains why a kernel has no coarsened
/// form.
///
/// Needs: SIMT IR, device functions inlined, simplified. Leaves SIMT IR.
struct CoarsenThreads : llvm::PassInfoMixin<CoarsenThreads> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

} // namespace heddle::nvptx
