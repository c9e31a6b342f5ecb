#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Declares the ResumeFunction of a kernel whose threads are coroutines.
llvm::Function *declareResume(llvm::Function &thread);

/// Resumes a block's threads in one loop, so that the processor works on several at once.
///
///     before                                  after
///       declare i64 @k.together(...)            define internal i64 @k.together(%context, %threads, i64 %count)
///       define void @k.resume(%frame)             for i in 0 .. %count
///         body                                      body, of %threads[i].frame
///
/// A frame's first word then tells only whether its thread has returned: @k.resume is no more.
///
/// Needs: coroutines are split and cleaned up; emit-entries has declared @k.together.
struct ResumeTogether : llvm::PassInfoMixin<ResumeTogether> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
