// Marks the points at which local variables begin to exist, with undefined bytes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Marks the memory of local variables as new, where their lifetime starts.
///
///     before                                after
///       %x = alloca [4 x i32]                 %x = alloca [4 x i32]
///                                             call void @simt.check.forget(%x, 16)
///
/// A marked variable stays in memory: LLVM does not promote it to a register, where an undefined value could not be
/// detected. The mode Unproven omits variables that are assigned on every path before each read, and removes their
/// marks. If SROA promotes pointers to variables, more of them become provable.
struct ForgetLocals : llvm::PassInfoMixin<ForgetLocals> {
  enum Which { Unproven, All };
  explicit ForgetLocals(Which which) : which(which) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  Which which;
};

/// Removes the marks, and those of asynchronous copies, from code that is not checked.
struct RemoveForgets : llvm::PassInfoMixin<RemoveForgets> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
