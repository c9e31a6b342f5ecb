#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Stores vectors that take several registers one register at a time, from the lowest address on. Instruction selection
/// splits them, too, but in any order: where an array does not begin at a line of the cache, a walk through it that
/// writes the upper half of each vector first writes lines in turn, and takes a third longer.
///
///     before                                    after
///       store <16 x float> %v, ptr %p             %low = shufflevector %v, 0 ... 7
///                                                 store <8 x float> %low, ptr %p
///                                                 %high = shufflevector %v, 8 ... 15
///                                                 store <8 x float> %high, ptr (%p + 32)
///
/// Functions say by "prefer-vector-width" how wide a register is; without it they are not touched.
struct OrderStores : llvm::PassInfoMixin<OrderStores> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
