#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Gives operations that are undefined in C++ the results of GPUs, as SIMT IR requires:
///
///     before                     after
///       %q = sdiv i32 %a, %b       -1 where %b is 0, %a where the quotient overflows
///       %q = urem i32 %a, %b       %a where %b is 0
///       %i = fptosi float %x       %i = call @llvm.fptosi.sat(%x)
///       %s = shl i32 %x, %n        0 where %n is 32 or more
///
/// LLVM's atomic instructions become SIMT operations, or volatile accesses with fences. Prefetches are removed. If
/// `contract` is false, floating-point operations are marked to prevent contraction.
struct TotalOperations : llvm::PassInfoMixin<TotalOperations> {
  explicit TotalOperations(bool contract) : contract(contract) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool contract;
};

} // namespace heddle::cudacpp
