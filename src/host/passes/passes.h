// The passes of host functions by name, and the pipelines made of them.
#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace llvm {
class PassBuilder;
}

namespace heddle {
class PassRunner;
}

namespace heddle::host {

/// Makes the passes of passes.def known to `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

/// Lowers SIMT operations with the passes that kernels go through, except those about threads.
void addLoweringPasses(llvm::ModulePassManager &passes, FastMath fastMath);

/// LLVM's pipeline of that level with the passes of passes.def in it. The builder of `runner` keeps their places: one
/// call per runner.
void addOptimizationPasses(llvm::ModulePassManager &passes, PassRunner &runner,
                           llvm::OptimizationLevel level);

} // namespace heddle::host
