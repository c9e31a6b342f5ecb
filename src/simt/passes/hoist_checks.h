#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Moves checks of indices in front of loops.
///
///     before                                                 after
///       br header                                              %some = icmp ne %n, 0
///     header:                                                  %top = select %some, %size, INT64_MAX
///       %k = phi [0, entry], [%next, body]                     call void @simt.check.index(3, 0, %n - 1, 1, 0, %top)
///       br (icmp ult %k, %n), body, exit                       br header
///     body:                                                  header:
///       call void @simt.check.index(3, %k, %k, 0, 0, %size)    ...
///       load %a[%k]                                          body:
///                                                              load %a[%k]
///
/// A check that fails still finds all as it would be in the loop: what the loop changes comes after the check in its first
/// iteration, or the loop changes nothing.
///
/// Needs: each loop has a preheader.
struct HoistChecks : llvm::PassInfoMixin<HoistChecks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::simt
