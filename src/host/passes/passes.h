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

/// Lowers SIMT operations with the passes that kernels go through, except those about threads.
void addLoweringPasses(llvm::ModulePassManager &passes, FastMath fastMath);

/// LLVM's pipeline for the optimization level, including the passes of passes.def. Registers callbacks with `runner`'s
/// builder, so it may be called once per runner.
void addOptimizationPasses(llvm::ModulePassManager &passes, PassRunner &runner,
                           llvm::OptimizationLevel level);

} // namespace heddle::host
