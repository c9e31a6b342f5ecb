// Registers the passes for host functions and builds their pipelines.
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

/// Registers the passes of passes.def with `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

/// Adds the passes that lower SIMT operations in kernels, except those for thread operations.
void addLoweringPasses(llvm::ModulePassManager &passes, FastMath fastMath);

/// Adds LLVM's pipeline for the optimization level, including the passes of passes.def. Registers callbacks with
/// `runner`'s PassBuilder, so it may be called only once per runner.
void addOptimizationPasses(llvm::ModulePassManager &passes, PassRunner &runner,
                           llvm::OptimizationLevel level);

} // namespace heddle::host
