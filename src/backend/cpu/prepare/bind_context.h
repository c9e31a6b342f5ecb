#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Gives every function the block that it runs for, and a kernel the thread.
///
///     before                                after
///       void @k(ptr addrspace(1) %a)          internal void @k(ptr %context, i32 %x, i32 %y, i32 %z, ptr addrspace(1) %a)
///         call i64 @fib(i64 %n)                 store %x, %y, %z in %context's `thread`
///                                               call i64 @fib(ptr %context, i64 %n)
///       internal i64 @fib(i64 %n)             internal i64 @fib(ptr %context, i64 %n)
///
/// A function whose address is passed to the runtime is called by that with a context.
/// An out-of-line function finds its thread's index in the context.
/// Needs: inline-device-functions has run.
struct BindContext : llvm::PassInfoMixin<BindContext> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Stores a kernel's thread index where traps and out-of-line functions look for it; nothing in other functions,
/// whose caller has done so.
void storeThread(llvm::IRBuilderBase &b);

} // namespace heddle::cpu
