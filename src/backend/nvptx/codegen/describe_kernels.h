#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Sets the attributes that the code generator needs: kernel calling convention, launch bounds and rounding of floats.
///
///     before                                 after
///       define void @k(ptr addrspace(1) %a)    define ptx_kernel void @k(..) "nvvm.maxntid"="256" mustprogress
///                         "simt.kernel"
///
/// Subnormal floats flush to zero if the options ask for it ("denormal-fp-math-f32"); division and square root of
/// floats are approximate if relax-floats allows it.
struct DescribeKernels : llvm::PassInfoMixin<DescribeKernels> {
  DescribeKernels(const CompileOptions &options, Target target)
      : options(options), target(target) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  CompileOptions options;
  Target target;
};

} // namespace heddle::nvptx
