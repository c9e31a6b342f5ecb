#pragma once

#include "simt/thread_order.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Makes the threads of a warp neighbours along the axis along which they access memory in order: in a program that maps x
/// to rows, that is y.
///
///     before                                       after, launched with the block's extents along x and y exchanged
///       i = ctaid.x * ntid.x + tid.x                 i = ctaid.x * ntid.y + tid.y
///       j = ctaid.y * ntid.y + tid.y                 j = ctaid.y * ntid.x + tid.x
///       c[i * n + j] = a[i * n + j]                  c[i * n + j] = a[i * n + j]
///
/// Which threads make up a warp is all that changes. So a kernel that can see that keeps the order: one with warp
/// operations, lane or warp numbers, volatile accesses, inline PTX, calls of functions that were not copied into it, errors
/// of its own, prints, or barriers that only some warps may reach. A remark says which kernels are reordered.
///
/// Needs: SIMT IR, device functions inlined, simplified. Leaves SIMT IR; the kernel's order is an attribute
/// (`threadOrderOf`), which every launch obeys.
struct OrderThreads : llvm::PassInfoMixin<OrderThreads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// How a kernel's threads are ordered.
ThreadOrder threadOrderOf(const llvm::Function &kernel);

} // namespace heddle::simt
