#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Sets the attributes that the code generator needs: kernel calling convention, launch bounds, register limit and
/// flushing of subnormals.
///
///     before                                 after
///       define void @k(ptr addrspace(1) %a)    define ptx_kernel void @k(..) "nvvm.maxntid"="256" nounwind
///                         "simt.kernel"
///
/// If the options ask for it, subnormal floats are flushed to zero ("denormal-fp-math-f32"), except in functions that
/// use bfloats.
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
