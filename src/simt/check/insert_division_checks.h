// Inserts the checks for divisions by zero of `heddle check`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Reports integer divisions and remainders by zero. Front ends replace a divisor of zero, so that no instruction faults:
/// these guards tell the divisor of the source.
///
///     before                                       after
///       %safe = select i1 %zero, i32 1, i32 %y       br i1 (%y == 0): call void @simt.check.report(7, 0, 0)
///       %q = udiv i32 %x, %safe                      %q = udiv i32 %x, %safe
///
/// The site's kind is ZeroDivisionError. With Stop, a simt.check.index stops the kernel instead.
///
/// Needs: SIMT IR from a front end; no pass may have simplified the guards. Leaves SIMT IR.
struct InsertDivisionChecks : llvm::PassInfoMixin<InsertDivisionChecks> {
  enum Action { Report, Stop };
  explicit InsertDivisionChecks(Action action) : action(action) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  Action action;
};

} // namespace heddle::simt
