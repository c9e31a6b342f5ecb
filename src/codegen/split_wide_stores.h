#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Splits stores of vectors that span several registers into one store per register, lowest address first. Instruction
/// selection splits them in arbitrary order. If an array is not aligned to a cache line, a loop that stores the upper
/// half of each vector first alternates between lines and runs 1.33x slower.
///
///     before                                    after
///       store <16 x float> %v, ptr %p             %low = shufflevector %v, 0 ... 7
///                                                 store <8 x float> %low, ptr %p
///                                                 %high = shufflevector %v, 8 ... 15
///                                                 store <8 x float> %high, ptr (%p + 32)
///
/// The attribute "prefer-vector-width" sets the register width; functions without it are unchanged.
struct SplitWideStores : llvm::PassInfoMixin<SplitWideStores> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
