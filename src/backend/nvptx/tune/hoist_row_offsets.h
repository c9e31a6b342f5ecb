// Hoists products of row indices and strides out of loops, as in tiles[k + row, column] with an array of any width.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Splits products of a sum and a stride into one part that changes in a loop and one that does not, if at least two
/// products of the loop share the changing part. A 64-bit multiplication takes four instructions, an addition two.
///
///     before                                   after
///       loop:                                    %offset0 = mul i64 %row0, %width
///         %k = ...                               %offset1 = mul i64 %row1, %width
///         %r0 = add i64 %k, %row0              loop:
///         %at0 = mul i64 %r0, %width             %k = ...
///         %r1 = add i64 %k, %row1                %at = mul i64 %k, %width
///         %at1 = mul i64 %r1, %width             %at0 = add i64 %at, %offset0
///                                                %at1 = add i64 %at, %offset1
///
/// LICM then moves the invariant parts, including those of addresses, out of the loop.
struct HoistRowOffsets : llvm::PassInfoMixin<HoistRowOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
