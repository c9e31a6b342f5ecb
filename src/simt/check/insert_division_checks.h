// Inserts the checks of `heddle check` for divisions by zero.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Checks the divisors of integer divisions and remainders. Front ends replace a divisor of zero, so that no instruction
/// faults. This pass finds the original divisor in these guards.
///
///     before                                       after
///       %safe = select i1 %zero, i32 1, i32 %y       %failed = zext i1 (%y == 0) to i64
///       %q = udiv i32 %x, %safe                      call void @simt.check.index(7, %failed, %failed, 0, 0, 1)
///                                                    %q = udiv i32 %x, %safe
///
/// The site's kind is ZeroDivisionError. Divisors that the front end has checked (debug=True) get no second check.
///
/// Needs: SIMT IR from a front end; no pass may have simplified the guards. Leaves SIMT IR.
struct InsertDivisionChecks : llvm::PassInfoMixin<InsertDivisionChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
