#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Turns infinite recursion into a kernel error instead of a crash of the process.
///
///     entry of a recursive function:
///       if (frame address - bytes of its allocas < BlockContext::stackLimit)
///         call void @heddle_cpu_stack_overflow(%context)      ; does not return
///
/// Needs: bind-context has run.
struct GuardRecursion : llvm::PassInfoMixin<GuardRecursion> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
