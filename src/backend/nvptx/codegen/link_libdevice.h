#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Copies the functions of libdevice that the module calls, and what those call, into it.
///
///     before                                   after
///       declare float @__nv_sinf(float)          define internal float @__nv_sinf(float %x) alwaysinline { .. }
///
/// libdevice asks the compiler about the target through @__nvvm_reflect("__CUDA_FTZ") and its like; the calls become
/// constants. A module without math does not pay: libdevice is not read then.
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
