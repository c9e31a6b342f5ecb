#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Replaces masked accesses in vectorized kernels if the processor does not support them. Inactive lanes access a spare
/// stack slot instead. Code generation would emit a branch for each lane.
///
///     before                                         after
///       masked.gather(%addresses, %mask)               %own = select %mask, %addresses, %spare
///                                                      masked.gather(%own, all lanes)
///
///       masked.load(%p, %mask)                         br all(%mask), whole, pieces
///                                                    whole:
///                                                      load <8 x float>, %p
///                                                    pieces:
///                                                      a gather from %p, %p + 4 ... as above
///
/// AVX has masked loads and stores of 32 and 64 bits, AVX-512 all masked accesses.
struct ReplaceMaskedAccesses : llvm::PassInfoMixin<ReplaceMaskedAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
