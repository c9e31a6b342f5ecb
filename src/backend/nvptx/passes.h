// Registers the NVPTX back end's passes, and builds the pipelines.
#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::nvptx {

/// Registers the passes of passes.def with `builder`'s pipeline parser, and the two pipelines below as "nvptx-lowering"
/// and "nvptx-optimization".
void registerPasses(llvm::PassBuilder &builder, const CompileOptions &options,
                    const Target &target);

/// Lowers SIMT IR to LLVM's NVPTX IR: every pass of passes.def, with some LLVM passes in between.
void addLoweringPasses(llvm::ModulePassManager &passes, const CompileOptions &options,
                       const Target &target);

/// Optimizes the result of addLoweringPasses. Without `optimize`, does only the minimum for code generation.
void addOptimizationPasses(llvm::ModulePassManager &passes, bool optimize);

} // namespace heddle::nvptx
