#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Lowers simt.wrap in short innermost loops whose induction variable may be negative: the loop gets a version without
/// wraps. For `for k in range(first, last): total += a[k]`:
///
///     before                                     after
///       loop:                                      %tested = icmp ugt i64 %first, 2^61
///         %k = add nsw i64 %first, %iter           br i1 %tested, loop with selects, loop, !prof !unlikely
///         %i = call i64 @simt.wrap(%k, %size)    loop:
///         %p = getelementptr float, %a, %i         %k = add nsw i64 %first, %iter
///                                                  %p = getelementptr float, %a, %k
///
/// The other version has selects, because its indices are often negative. If no index can be negative, the wraps are
/// removed without versioning. LLVM's SimpleLoopUnswitch creates the versions. Needs LoopSimplify form.
struct VersionWraps : llvm::PassInfoMixin<VersionWraps> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Emits index < 0; for the index i - 1, emits i < 1, because back ends know more about i.
llvm::Value *emitIsNegative(llvm::IRBuilderBase &b, llvm::Value &index);

/// Lowers the wraps for which `isWanted` returns true, as LowerWraps does. Returns false if there are none.
bool lowerWraps(llvm::Function &f, llvm::function_ref<bool(const llvm::CallInst &)> isWanted);

/// Lowers simt.wrap to selects, which code generation turns into rarely taken branches:
///
///       %below = icmp slt i64 %k, 0
///       %end = add i64 %k, %size
///       %i = select i1 %below, i64 %end, i64 %k, !prof !unlikely
///
/// InstCombine would turn them into selects between addresses, so that each access depends on a select. The CPU
/// back end therefore runs this pass after InstCombine.
struct LowerWraps : llvm::PassInfoMixin<LowerWraps> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
