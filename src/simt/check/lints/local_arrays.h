// Finds local arrays that cannot be in registers.
#pragma once

#include "simt/check/lints/static_lints.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Appends one access to each stack variable that UnrollArrayLoops leaves in memory. Has the same preconditions as that
/// pass.
void addLocalArrayLints(llvm::Function &f, llvm::FunctionAnalysisManager &am,
                        std::vector<StaticLint> &lints);

} // namespace heddle::simt
