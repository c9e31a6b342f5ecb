#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Gives operations that C++ leaves undefined for some operands the results that they have on a GPU, as SIMT IR asks:
///
///     before                     after
///       %q = sdiv i32 %a, %b       -1 where %b is 0, %a where the quotient overflows
///       %q = urem i32 %a, %b       %a where %b is 0
///       %i = fptosi float %x       %i = call @llvm.fptosi.sat(%x)
///       %s = shl i32 %x, %n        0 where %n is 32 or more
///
/// LLVM's atomic instructions become operations of SIMT IR, or volatile accesses with fences; prefetches are dropped. With `contract` false, floating-point arithmetic is marked
/// to keep its own rounding.
struct TotalOperations : llvm::PassInfoMixin<TotalOperations> {
  explicit TotalOperations(bool contract) : contract(contract) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool contract;
};

} // namespace heddle::cudacpp
