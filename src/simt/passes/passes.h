// The shared passes: by name, and those that every back end begins with.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::simt {

/// Makes the passes of passes.def known to `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

/// A thread's scalars leave memory, and what is computed with them becomes simple: passes that look at SIMT IR see through
/// them. keepApproximate: as of SimplifyMath.
llvm::FunctionPassManager simplification(bool keepApproximate);

} // namespace heddle::simt
