#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Copies short, aligned structures such as float4 by loads and stores of 16 bytes. LLVM copies 8 bytes at a time.
///
///     before                                                    after
///       call void @llvm.memcpy(ptr align 16 %to,                  %v = load <4 x i32>, ptr %from, align 16
///                              ptr align 16 %from, i64 16, ..)    store <4 x i32> %v, ptr %to, align 16
struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
