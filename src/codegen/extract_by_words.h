#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Extracts short integers from vectors by 64-bit words. Each extracted element takes two operations on the same ports;
/// words are fewer, and the shifts run on other ports. Histograms, whose lanes add to separate addresses, spend most of
/// their time here.
///
///     before                                    after
///       %a = extractelement <8 x i32> %v, 0       %words = bitcast <8 x i32> %v to <4 x i64>
///       %b = extractelement <8 x i32> %v, 1       %w = extractelement <4 x i64> %words, 0
///       ...                                       %a = trunc i64 %w to i32
///                                                 %s = lshr i64 %w, 32
///                                                 %b = trunc i64 %s to i32
///
/// Runs last: instcombine would undo it.
struct ExtractByWords : llvm::PassInfoMixin<ExtractByWords> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
