#pragma once

#include "llvm/IR/PassManager.h"

#include <array>
#include <cstdint>

namespace heddle::cpu {

/// Specializes kernels for blocks of one shape: extents become constants, thread indices get ranges, and the index
/// along an axis of extent 1 becomes 0. Loops over a block's threads then have constant trip counts, and a tree
/// reduction, in which each barrier halves the active threads, becomes straight-line code.
///
///     before                                   after, for blocks of 256 x 1
///       %n = call i32 @simt.ntid.x()             (256)
///       %t = call i32 @simt.tid.x()              %t = call range(i32 0, 256) i32 @simt.tid.x()
///       %y = call i32 @simt.tid.y()              (0)
///
/// The shape becomes part of the kernel's plan (Plan::block). Out-of-line functions are unchanged.
/// Needs: order_threads has run; `block` holds the extents that the program requests.
struct FixBlockShape : llvm::PassInfoMixin<FixBlockShape> {
  explicit FixBlockShape(std::array<uint32_t, 3> block) : block(block) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  std::array<uint32_t, 3> block;
};

} // namespace heddle::cpu
