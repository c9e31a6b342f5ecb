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
/// The first word of a frame then only tells whether its thread has returned: @k.resume no longer exists.
///
/// Needs: coroutines are split and cleaned up; emit-entries has declared @k.resume_loop.
struct EmitResumeLoops : llvm::PassInfoMixin<EmitResumeLoops> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
