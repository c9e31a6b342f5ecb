// Arrays of a thread that cannot be in registers.
#pragma once

#include "simt/check/lints/static_lints.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Appends an access of each stack variable that UnrollArrayLoops leaves in memory. Needs what that pass needs.
void findLocalArrays(llvm::Function &f, llvm::FunctionAnalysisManager &am,
                     std::vector<StaticLint> &lints);

} // namespace heddle::simt
