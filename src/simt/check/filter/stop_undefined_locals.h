#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Stops the kernel when it loads unwritten bytes of a local variable. A second array of bytes records which elements
/// of the variable have been written.
///
///     before                               after
///       %x = alloca [4 x i32]                %x = alloca [4 x i32], %x.written = alloca [4 x i8]
///       call void @simt.check.forget(%x)     memset(%x.written, 0)
///       store i32 %v, %x[%i]                 store i32 %v, %x[%i]; store i8 1, %x.written[%i]
///       %w = load i32, %x[%j]                call void @simt.check.index(.., 1 - %x.written[%j], .., 0, 1)
///                                            %w = load i32, %x[%j]
///
/// Keeps the marks of variables whose addresses escape. A copy of unwritten bytes also stops the kernel.
///
/// Needs: ForgetLocals has run. Leaves SIMT IR.
struct StopUndefinedLocals : llvm::PassInfoMixin<StopUndefinedLocals> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
