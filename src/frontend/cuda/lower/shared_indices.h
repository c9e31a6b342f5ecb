#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cudacpp {

/// Extends unsigned indices of shared memory that may be below zero as signed numbers. Addresses of shared memory have 32 bits
/// on a GPU, so such an index wraps around: `end[~t]` is `end[-1 - t]`.
///
///     before                                    after
///       %u = xor i32 %t, -1                       %u = xor i32 %t, -1
///       %i = zext i32 %u to i64                   %i = sext i32 %u to i64
///       getelementptr nuw i32, ptr (3) %end, %i   getelementptr i32, ptr (3) %end, %i
///
/// Differences, complements and products with negative constants may be below zero, and what is computed from them.
/// Others keep their extension: their ranges are known better.
/// Needs: address spaces have been inferred.
void wrapSharedIndices(llvm::Function &f);

} // namespace heddle::cudacpp
