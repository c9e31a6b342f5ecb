#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Rejects code that a CPU cannot run, and decides which device functions stay out of line.
///
/// Device functions are inlined unless they are recursive or large; those are marked "heddle.out-of-line" (and
/// "heddle.recursive" if recursive). Only kernels can suspend, so an out-of-line function that may reach a barrier is
/// rejected. Sets Plan::localBytes of kernels: the stack size of local arrays along the deepest call chain.
///
/// Throws CompileError: Unsupported for a recursive function that can reach a barrier or a warp operation, Lowering for
/// a kernel whose threads need more local memory than `simt::maxLocalBytes`. Changes only attributes.
struct CheckResources : llvm::PassInfoMixin<CheckResources> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
