#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Says what the code generator must know of each function: which are kernels, what a launch promises, how floats are
/// rounded.
///
///     before                                 after
///       define void @k(ptr addrspace(1) %a)    define ptx_kernel void @k(..) "nvvm.maxntid"="256" mustprogress
///                         "simt.kernel"
///
/// Subnormal floats count as 0 where the options ask for it ("denormal-fp-math-f32"); division and square root of floats are
/// approximated where relax-floats allows it.
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
