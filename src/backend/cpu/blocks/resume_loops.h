#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Declares the ResumeFunction of a kernel whose threads are coroutines.
llvm::Function *declareResumeLoop(llvm::Function &thread);

/// Resumes a block's threads in a single loop, so that the processor overlaps several of them.
///
///     before                                  after
///       declare i64 @k.resume_loop(...)         define internal i64 @k.resume_loop(%context, %threads, i64 %count)
///       define void @k.resume(%frame)             for i in 0 .. %count
///         body                                      body, of %threads[i].frame
///
/// Afterwards @k.resume no longer exists, and the first word of a frame only tells if the thread has returned (null).
///
/// Needs: coroutines are split and cleaned up; emit-entries has declared @k.resume_loop.
struct EmitResumeLoops : llvm::PassInfoMixin<EmitResumeLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
