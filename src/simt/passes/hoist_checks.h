#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Hoists index checks out of loops. Then moves each check up to the previous check of its block, past loads, so that
/// both can share a branch.
///
///     before                                                 after
///       br header                                              call void @simt.check.index(3, 0, %n - 1, 1, 0, %size)
///     header:                                                  br header
///       %k = phi [0, entry], [%next, body]                   header:
///       br (icmp ult %k, %n), body, exit                       ...
///     body:                                                  body:
///       call void @simt.check.index(3, %k, %k, 0, 0, %size)    load %a[%k]
///       load %a[%k]
///
/// If the loop has no iterations, the last index precedes the first, and nothing is checked. A hoisted check that fails
/// leaves memory as the loop would have: the loop has no side effects, or they follow the check in the first iteration.
///
/// Needs: each loop has a preheader.
struct HoistChecks : llvm::PassInfoMixin<HoistChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::simt
