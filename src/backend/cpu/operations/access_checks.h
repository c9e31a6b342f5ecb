#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers the operations of `heddle check` (simt.check.access and so on) to runtime calls.
///
///     before                                               after
///       %ok = call i1 @simt.check.access(7, %p, ...)         %r = call i32 @heddle_cpu_check_access(%context, 7, %p, ...)
///                                                            %ok = icmp ne i32 %r, 0
///
/// Needs: bind-context has run; one thread at a time.
struct LowerAccessChecks : llvm::PassInfoMixin<LowerAccessChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
