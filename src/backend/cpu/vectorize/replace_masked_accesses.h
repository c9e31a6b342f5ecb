#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Replaces accesses with masks in kernels that run groups of threads, where the processor has no such access. What a
/// lane outside of the mask reads or writes is a place of its group's own; code generation would else make a branch for
/// each lane.
///
///     before                                         after
///       masked.gather(%places, %mask)                  %own = select %mask, %places, %spare
///                                                      masked.gather(%own, all lanes)
///
///       masked.load(%p, %mask)                         br all(%mask), whole, pieces
///                                                    whole:
///                                                      load <8 x float>, %p
///                                                    pieces:
///                                                      a gather from %p, %p + 4 ... as above
///
/// AVX has loads and stores with masks of 32 and 64 bits, AVX-512 all of them.
struct ReplaceMaskedAccesses : llvm::PassInfoMixin<ReplaceMaskedAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
