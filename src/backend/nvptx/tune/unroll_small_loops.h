// Selects the unroll factor of small loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Requests larger unroll factors than LLVM's default for small innermost loops.
///
///     before                                  after
///       br i1 %more, label %loop, label %out    br i1 %more, label %loop, label %out, !llvm.loop !0
///                                               !0 = distinct !{!0, !{!"llvm.loop.unroll.count", i32 16}}
///
/// The loads of sixteen iterations overlap instead of being waited for one by one. On an H200 the naive 4096 x 4096
/// float32 matrix product takes 27.6 ms with LLVM's factor of four, 27.0 ms with eight, 25.2 ms with sixteen. Compiled
/// by nvcc it takes 25.8 ms.
///
/// Skips loops with a constant trip count (LLVM handles these well), with barriers, or with hints.
struct UnrollSmallLoops : llvm::PassInfoMixin<UnrollSmallLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
