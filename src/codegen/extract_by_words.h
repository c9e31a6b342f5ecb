#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Extracts 64-bit words from vectors of short integers, and splits the words by shifts. An extraction takes two
/// operations on the same ports; there are fewer words than elements, and the shifts run on other ports. Histograms, in
/// which each lane adds to a separate address, spend most of their time in extractions.
///
///     before                                    after
///       %a = extractelement <8 x i32> %v, 0       %words = bitcast <8 x i32> %v to <4 x i64>
///       %b = extractelement <8 x i32> %v, 1       %w = extractelement <4 x i64> %words, 0
///       ...                                       %a = trunc i64 %w to i32
///                                                 %s = lshr i64 %w, 32
///                                                 %b = trunc i64 %s to i32
///
/// Needs: InstCombine does not run later, because it would undo this.
struct ExtractByWords : llvm::PassInfoMixin<ExtractByWords> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
