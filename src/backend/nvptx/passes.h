// The NVPTX back end's passes by name, and the pipelines made of them.
#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::nvptx {

/// Makes the passes of passes.def known to `builder`'s pipeline parser, and "nvptx-lowering" and "nvptx-optimization",
/// the two pipelines below.
void registerPasses(llvm::PassBuilder &builder, const CompileOptions &options,
                    const Target &target);

/// From SIMT IR to NVPTX's IR: every pass of passes.def, with a little of LLVM's own between.
void addLoweringPasses(llvm::ModulePassManager &passes, const CompileOptions &options,
                       const Target &target);

/// Optimises what addLoweringPasses leaves. With `optimize` false, only as far as the code generator needs.
void addOptimizationPasses(llvm::ModulePassManager &passes, bool optimize);

} // namespace heddle::nvptx
