#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Gives memory from alloca its largest size, in the entry block, if the size is a constant or has a known limit:
///
///     before                                      after
///       br (%n <= 64), ...                          %a = alloca [256 x i8]   ; in the entry block
///       %a = alloca i8, i64 (zext %n) * 4           ...
///
/// Executions of one alloca share the memory. An alloca in a loop is therefore replaced only if each iteration releases
/// the memory, as inlined functions do (llvm.stackrestore).
///
/// Needs: values in registers (mem2reg has run).
/// Leaves: other dynamic allocas unchanged. No llvm.stacksave, no llvm.stackrestore.
struct BoundedAllocas : llvm::PassInfoMixin<BoundedAllocas> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// True if a function of the module calls alloca, or has an array of variable length.
bool callsAlloca(const llvm::Module &m);

} // namespace heddle::cudacpp
