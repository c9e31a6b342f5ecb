// Inserts the checks of `heddle check`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Makes every access of memory that other threads may access report itself, and skips invalid accesses.
///
///     before                                  after
///       call void @simt.check.index(3, %i, ..)  br i1 %outside: call void @simt.check.report(3, %i, %n)
///       %v = load float, ptr %p                 %ok = call i1 @simt.check.access(7, %p, %base, 4, <kind>, 0)
///                                               br i1 %ok: %v = load float, ptr %p; else %v = 0
///       call void @simt.barrier(2)              call void @simt.check.sync(2, <Block>, 0)
///                                               call void @simt.barrier(2)
///
/// The runtime answers simt.check.access with false for the access that follows a report at the same source line, and
/// for a misaligned one. The message of an access's site is the name of its array, if known; the site's arguments are the
/// array's extents, innermost last, if the variable's type tells them.
///
/// Needs: SIMT IR from a front end, device functions inlined. No pass may have added barriers or speculated loads. Leaves
/// SIMT IR.
struct InsertAccessChecks : llvm::PassInfoMixin<InsertAccessChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
