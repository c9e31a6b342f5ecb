#pragma once

#include "llvm/IR/PassManager.h"

#include <array>

namespace heddle::simt {

/// Stops the kernel at a vote, match, reduction or shuffle whose mask names a lane of the block that does not run the
/// operation at the same time, and at a shuffle that reads from a lane that does not participate.
///
///     before                                   after
///       if (t < n)                               if (t < n)
///         call i32 @simt.warp.ballot(3, m, c)      %active = call i32 @simt.warp.active(3)
///                                                  call void @simt.check.index(.., m & lanes & ~%active, .., 0, 1)
///                                                  call i32 @simt.warp.ballot(3, m, c)
///
/// Operations that all threads reach need no check of their mask. Warp barriers are left to maySkipBarrier().
///
/// Needs: SIMT IR from a front end, device functions inlined. Leaves SIMT IR.
struct StopWrongMasks : llvm::PassInfoMixin<StopWrongMasks> {
  /// block: the threads of the block.
  explicit StopWrongMasks(std::array<uint32_t, 3> block) : block(block) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

  std::array<uint32_t, 3> block;
};

} // namespace heddle::simt
