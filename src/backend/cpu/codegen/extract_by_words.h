#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Takes short integers out of their vector by words of 64 bits. Each element that leaves a vector register takes two
/// steps of the same units; words are fewer, and shifts are free beside them. Of histograms, whose lanes add to places of
/// their own, most is that.
///
///     before                                    after
///       %a = extractelement <8 x i32> %v, 0       %words = bitcast <8 x i32> %v to <4 x i64>
///       %b = extractelement <8 x i32> %v, 1       %w = extractelement <4 x i64> %words, 0
///       ...                                       %a = trunc i64 %w to i32
///                                                 %s = lshr i64 %w, 32
///                                                 %b = trunc i64 %s to i32
///
/// After all other passes: instcombine undoes it.
struct ExtractByWords : llvm::PassInfoMixin<ExtractByWords> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
