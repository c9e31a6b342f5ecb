#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Links the libdevice functions that the module calls, and their callees.
///
///     before                                   after
///       declare float @__nv_sinf(float)          define internal float @__nv_sinf(float %x) alwaysinline { .. }
///
/// libdevice queries the target with calls such as @__nvvm_reflect("__CUDA_FTZ"), which become constants. Modules
/// without math functions do not load libdevice.
struct LinkLibdevice : llvm::PassInfoMixin<LinkLibdevice> {
  /// `sm`: 10 * compute capability.
  LinkLibdevice(const CompileOptions &options, unsigned sm) : options(options), sm(sm) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  CompileOptions options;
  unsigned sm;
};

} // namespace heddle::nvptx
