#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Turns checks into branches to traps.
///
///     before                                                      after
///       call void @simt.check.index(7, %i, %i, 0, 0, %n)            %out = icmp uge %i, %n
///                                                                   br %out, out_of_bounds, in_bounds
///                                                                 out_of_bounds:
///                                                                   call void @simt.trap.index(7, %i, %n)
///                                                                   unreachable
///
/// Checks with no access in between have one branch. A test before it may fail where none of them does, as for an index that
/// counts from the end: each is made again then.
///
///       %extent = call i64 @llvm.umin.i64(%n, %m)
///       br (icmp uge %i, %extent), may_be_out_of_bounds, in_bounds
///
/// GoesOn: `br in_bounds` in place of the last line, so that all ways join: later passes look for what threads come to.
/// Leaves: no simt.check.index in the function.
struct ExpandChecks : llvm::PassInfoMixin<ExpandChecks> {
  enum AfterTrap { Unreachable, GoesOn };
  explicit ExpandChecks(AfterTrap after) : after(after) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  AfterTrap after;
};

} // namespace heddle::simt
