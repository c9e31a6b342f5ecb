// Inserts the access checks of `heddle check`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Inserts a check before every access to memory that other threads may access, and before synchronization. Invalid
/// accesses are skipped.
///
///     before                                  after
///       call void @simt.check.index(3, %i, ..)  br i1 %outside: call void @simt.check.report(3, %i, %n)
///       %v = load float, ptr %p                 %ok = call i1 @simt.check.access(7, %p, %base, 4, <kind>, 0)
///                                               br i1 %ok: %v = load float, ptr %p; else %v = 0
///       call void @simt.barrier(2)              call void @simt.check.sync(2, <Block>, 0)
///                                               call void @simt.barrier(2)
///
/// A simt.check.index whose site is neither an IndexError nor a ZeroDivisionError is left to raise its exception.
///
/// simt.check.access returns false for the access that follows a report at the same source line, and for other invalid
/// accesses, such as misaligned ones. addAccessSite() describes the access sites.
///
/// Needs: SIMT IR from a front end, device functions inlined. No pass may have added barriers or speculated loads.
/// Leaves SIMT IR.
struct InsertAccessChecks : llvm::PassInfoMixin<InsertAccessChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
