#pragma once

#include "simt/thread_order.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Reorders the threads of a block so that a warp's threads are neighbors along the axis along which they access
/// contiguous memory: y in a program that maps x to rows.
///
///     before                                       after, launched with the block's extents along x and y exchanged
///       i = ctaid.x * ntid.x + tid.x                 i = ctaid.x * ntid.y + tid.y
///       j = ctaid.y * ntid.y + tid.y                 j = ctaid.y * ntid.x + tid.x
///       c[i * n + j] = a[i * n + j]                  c[i * n + j] = a[i * n + j]
///
/// Only the assignment of threads to warps changes. A kernel that can observe it is left unchanged: one with warp
/// operations, lane or warp indices, volatile accesses, inline PTX, calls of functions that were not inlined, explicit
/// errors, prints, or barriers that only some warps may reach. A remark reports each reordered kernel.
///
/// Needs: SIMT IR, device functions inlined, simplified.
/// Leaves: SIMT IR; the order is a kernel attribute (`threadOrderOf`) that every launch obeys.
struct OrderThreads : llvm::PassInfoMixin<OrderThreads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// The thread order of a kernel.
ThreadOrder threadOrderOf(const llvm::Function &kernel);

} // namespace heddle::simt
