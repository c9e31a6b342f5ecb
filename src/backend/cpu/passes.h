// The CPU back end's passes by name, and the pipelines made of them.
#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::cpu {

/// Makes the passes of passes.def known to `builder`'s pipeline parser, and "cpu-lowering" and "cpu-optimization",
/// the two pipelines below.
void registerPasses(llvm::PassBuilder &builder);

/// From SIMT IR to host IR: every pass of passes.def, with a little of LLVM's own between.
void addLoweringPasses(llvm::ModulePassManager &passes, const CompileOptions &options);

/// Optimises what addLoweringPasses leaves. Splits coroutines, at every level.
void addOptimizationPasses(llvm::ModulePassManager &passes, bool optimize);

} // namespace heddle::cpu
