#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Runs a kernel without barriers as loops over the threads of a block.
///
///     before                                     after
///       void @k(%context, i32 %x, %y, %z, %a)      void @k(%context, ptr %arguments)
///         body                                       call void @k.threads(%context, <arguments from their slots>)
///         ret void                                 void @k.threads(%context, %a)
///                                                    for z, y, x below BlockContext::blockDim
///                                                      body
///
/// The parameters stay parameters of @k.threads, so that noalias, align and range keep their full meaning there.
///
/// Threads that no barrier separates may not rely on each other's plain accesses, so the accesses of the innermost
/// loop are marked as independent of other iterations (those of the thread's own stack are not: each thread uses the
/// same memory).
///
/// Needs: barriers are lowered, no scalar lives in an alloca (sroa has run).
/// Leaves: every kernel has the attribute "heddle.entry".
struct MakeBlockLoops : llvm::PassInfoMixin<MakeBlockLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
