#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Computes the lanes' array indices in 32 bits if the array has fewer than 2^31 elements (simt::fewElementsAttribute).
/// That halves the number of registers, and one gather replaces two.
///
///     %wide = sext <16 x i32> %i to <16 x i64>             %wrapped = add <16 x i32> %i, %n
///     %wrapped = add <16 x i64> %wide, %n                  %index = select <16 x i1> %negative, %wrapped, %i
///     %index = select <16 x i1> %negative, %wrapped, %wide      %wide = sext <16 x i32> %index to <16 x i64>
///     getelementptr float, ptr %x, <16 x i64> %index       getelementptr float, ptr %x, <16 x i64> %wide
///
/// Sums, products and selects of extended integers are exact in 32 bits for any in-bounds index.
void narrowIndices(llvm::Function &f);

} // namespace heddle::cpu
