#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Lowers simt.wrap in short loops whose induction variable may start below zero: they get a version without wraps.
/// `for k in range(first, last): total += a[k]`
///
///     before                                     after
///       loop:                                      %tested = icmp ugt i64 %first, 2^61
///         %k = add nsw i64 %first, %iter           br i1 %tested, loop with selects, loop, !prof !unlikely
///         %i = call i64 @simt.wrap(%k, %size)    loop:
///         %p = getelementptr float, %a, %i         %k = add nsw i64 %first, %iter
///                                                  %p = getelementptr float, %a, %k
///
/// The other version has selects, because its indices are often negative. Wraps of indices that are known to be
/// nonnegative disappear. LLVM's SimpleLoopUnswitch creates the versions. Needs LoopSimplify form.
struct VersionWraps : llvm::PassInfoMixin<VersionWraps> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Emits index < 0. For `i - 1` it is i < 1, because back ends know more about `i`.
llvm::Value *emitIsNegative(llvm::IRBuilderBase &b, llvm::Value &index);

/// Lowers wraps as LowerWraps does, if `isWanted` returns true. Returns false if there are none.
bool lowerWraps(llvm::Function &f, llvm::function_ref<bool(const llvm::CallInst &)> isWanted);

/// Lowers simt.wrap to selects, which become branches that are rarely taken:
///
///       %below = icmp slt i64 %k, 0
///       %end = add i64 %k, %size
///       %i = select i1 %below, i64 %end, i64 %k, !prof !unlikely
///
/// InstCombine turns these into selects between addresses, so that each access depends on one. Code for CPUs runs the pass
/// after it.
struct LowerWraps : llvm::PassInfoMixin<LowerWraps> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
