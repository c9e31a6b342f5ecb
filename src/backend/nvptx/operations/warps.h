#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers warp operations to instructions.
///
///     before                                                      after
///       call i32 @simt.warp.shuffle.down.i32(0, %m, %v, %d, %w)     %c = ((32 - %w) << 8) | 31
///                                                                   call @llvm.nvvm.shfl.sync.down.i32(%m, %v, %d, %c)
///       call i64 @simt.warp.shuffle.down.i64(..)                    the same for each half
///       call i32 @simt.warp.ballot(0, %m, %p)                       call i32 @llvm.nvvm.vote.ballot.sync(%m, %p)
///       call i32 @simt.warp.match.all.i32(0, %m, %v)                first result of @llvm.nvvm.match.all.sync.i32p
///       call i32 @simt.warp.reduce.add.i32(0, %m, %v)               call i32 @llvm.nvvm.redux.sync.add(%v, %m)
///       call i64 @simt.warp.reduce.add.i64(0, %m, %v)               a loop over the participating lanes, each of
///                                                                   which broadcasts its value
///
/// Before sm_80, which introduces redux, 32-bit reductions are also loops. Hardware does not distinguish sites.
class LowerWarps : public llvm::PassInfoMixin<LowerWarps> {
public:
  /// `sm`: 10 * major + minor of the compute capability.
  explicit LowerWarps(unsigned sm) : sm(sm) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  unsigned sm;
};

} // namespace heddle::nvptx
