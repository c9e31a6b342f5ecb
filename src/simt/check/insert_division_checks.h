// Inserts the checks of `heddle check` for divisions by zero.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Reports integer divisions and remainders by zero. Front ends replace a divisor of zero, so that no instruction
/// faults. This pass finds the original divisor in these guards.
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
