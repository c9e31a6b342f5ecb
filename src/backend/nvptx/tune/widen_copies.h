#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Copies and fills memory of constant size with the widest accesses that its alignment allows, up to 16 bytes. LLVM
/// copies at most 8 bytes at a time, and one byte at a time in the loops that it makes for long copies and fills.
///
///     before                                                    after
///       call void @llvm.memcpy(ptr align 16 %to,                  %v = load <4 x i32>, ptr %from, align 16
///                              ptr align 16 %from, i64 16, ..)    store <4 x i32> %v, ptr %to, align 16
///
/// Local arrays are aligned to 16 bytes. Their copies (`Locals`) are widened after arrays are promoted to registers:
/// SROA sees through copies and fills, but not through wide accesses. Other copies (`Others`) are widened earlier, so
/// that passes see their loads.
struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  enum Of { Others, Locals };
  explicit WidenCopies(Of of) : of(of) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  Of of;
};

} // namespace heddle::nvptx
