#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers index operations to reads of special registers.
///
///     before                                after
///       %t = call i32 @simt.tid.x()           %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
///       %l = call i32 @simt.laneid()          %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
///       %w = call i32 @simt.warpsize()        32
struct LowerIndices : llvm::PassInfoMixin<LowerIndices> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
