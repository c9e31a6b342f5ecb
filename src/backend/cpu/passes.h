// The CPU back end's passes by name, and their pipelines.
#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::cpu {

/// Registers the passes of passes.def with `builder`'s pipeline parser, and the two pipelines below as "cpu-lowering"
/// and "cpu-optimization".
void registerPasses(llvm::PassBuilder &builder);

/// Adds the passes that lower SIMT IR to host IR: those of passes.def, with some LLVM passes in between.
void addLoweringPasses(llvm::ModulePassManager &passes, const CompileOptions &options);

/// Optimizes the output of addLoweringPasses. Splits coroutines at every optimization level.
void addOptimizationPasses(llvm::ModulePassManager &passes, bool optimize);

} // namespace heddle::cpu
