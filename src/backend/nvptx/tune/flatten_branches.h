#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Replaces divergent branches around a few arithmetic instructions by selects. The lanes of a warp that diverge
/// execute both sides anyway, and a branch keeps ptxas from interleaving the code around it. libdevice's tanhf:
///
///     before                                        after
///       %c = fcmp ult float %size, 0.6                %c = fcmp ult float %size, 0.6
///       br i1 %c, label %polynomial, label %exp       %p = ...
///     polynomial:                                     %e = ...
///       %p = ...                                      %t = select i1 %c, float %p, float %e
///       br label %end
///     exp:
///       %e = ...
///       br label %end
///     end:
///       %t = phi float [ %p, %polynomial ], [ %e, %exp ]
///
/// Branches that LLVM knows to be uniform, and branches with branch weights, are kept.
struct FlattenBranches : llvm::PassInfoMixin<FlattenBranches> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
