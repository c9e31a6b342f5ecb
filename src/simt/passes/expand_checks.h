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
/// Checks with no memory access in between share one branch. Their combined test may fail although every check passes,
/// for example for an index that counts from the end. The slow path therefore repeats each check.
///
///       %extent = call i64 @llvm.umin.i64(%n, %m)
///       br (icmp uge %i, %extent), may_be_out_of_bounds, in_bounds
///
/// With AfterTrap::Continues, `br in_bounds` follows the trap instead of `unreachable`, so that all paths join. Passes
/// that analyze convergence need this.
/// Leaves: no simt.check.index in the function.
struct ExpandChecks : llvm::PassInfoMixin<ExpandChecks> {
  enum AfterTrap { Unreachable, Continues };
  explicit ExpandChecks(AfterTrap after) : after(after) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  AfterTrap after;
};

} // namespace heddle::simt
