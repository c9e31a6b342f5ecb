#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Moves checks of indices in front of loops, then up to other checks of their block, over reads.
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
/// Without rounds the last index comes before the first: nothing is checked. A check that fails still finds all as it would be
/// in the loop: what the loop changes comes after the check in its first iteration, or the loop changes nothing.
///
/// Needs: each loop has a preheader.
struct HoistChecks : llvm::PassInfoMixin<HoistChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::simt
