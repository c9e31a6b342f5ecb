#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Computes the lanes' indices of an array in 32 bits where the array is known to have less than 2^31 elements
/// (simt::fewElementsAttribute): half the registers, and one gather where there were two.
///
///     %wide = sext <16 x i32> %i to <16 x i64>             %wrapped = add <16 x i32> %i, %n
///     %wrapped = add <16 x i64> %wide, %n                  %index = select <16 x i1> %negative, %wrapped, %i
///     %index = select <16 x i1> %negative, %wrapped, %wide      %wide = sext <16 x i32> %index to <16 x i64>
///     getelementptr float, ptr %x, <16 x i64> %index       getelementptr float, ptr %x, <16 x i64> %wide
///
/// Sums, products and choices of numbers that are extended anyway lose nothing that an index in bounds has.
void narrowIndices(llvm::Function &f);

} // namespace heddle::cpu
