#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cudacpp {

/// Sign-extends unsigned indices of shared memory that may be negative numbers. Shared memory addresses have 32 bits on
/// a GPU, so these indices wrap around: `end[~t]` is `end[-1 - t]`.
///
///     before                                    after
///       %u = xor i32 %t, -1                       %u = xor i32 %t, -1
///       %i = zext i32 %u to i64                   %i = sext i32 %u to i64
///       getelementptr nuw i32, ptr (3) %end, %i   getelementptr i32, ptr (3) %end, %i
///
/// Differences, complements, products with negative constants, and values computed from them may be negative. Other
/// indices keep the zero extension, which gives LLVM more precise ranges. Needs: inferred address spaces.
void signExtendSharedIndices(llvm::Function &f);

} // namespace heddle::cudacpp
