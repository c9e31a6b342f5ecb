#pragma once

#include "llvm/IR/PassManager.h"

#include <array>
#include <cstdint>

namespace heddle::cpu {

/// Compiles kernels for blocks of one shape: extents are constants, thread indices have their range, an axis along which
/// a block has one thread has no index. Then the loops over a block's threads have known numbers of rounds, and a tree of
/// barriers, each for half of the threads before, is straight code.
///
///     before                                   after, for blocks of 256 x 1
///       %n = call i32 @simt.ntid.x()             (256)
///       %t = call i32 @simt.tid.x()              %t = call range(i32 0, 256) i32 @simt.tid.x()
///       %y = call i32 @simt.tid.y()              (0)
///
/// The kernel gets the attribute "heddle.block" (fixedBlock). Needs: threads are ordered (order_threads): `block` is the
/// one that the program asks for. Out-of-line functions are not touched.
struct FixBlockShape : llvm::PassInfoMixin<FixBlockShape> {
  explicit FixBlockShape(std::array<uint32_t, 3> block) : block(block) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  std::array<uint32_t, 3> block;
};

} // namespace heddle::cpu
