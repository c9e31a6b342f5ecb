#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Passes the running block to every function, and the thread index to kernels.
///
///     before                                after
///       void @k(ptr addrspace(1) %a)          internal void @k(ptr %context, i32 %x, i32 %y, i32 %z, ptr addrspace(1))
///         call i64 @fib(i64 %n)                 store %x, %y, %z in %context's `thread`
///                                               call i64 @fib(ptr %context, i64 %n)
///       internal i64 @fib(i64 %n)             internal i64 @fib(ptr %context, i64 %n)
///
/// A function whose address is passed as an argument also gets a context parameter, which its caller must pass.
/// Out-of-line functions read the thread index from the context.
/// Needs: inline-device-functions has run.
struct BindContext : llvm::PassInfoMixin<BindContext> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Stores a kernel's thread index for traps and out-of-line functions. Does nothing in other functions, because their
/// callers have stored it.
void storeThreadIndex(llvm::IRBuilderBase &b);

} // namespace heddle::cpu
