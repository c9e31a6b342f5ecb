#pragma once

#include "llvm/IR/PassManager.h"

#include <array>
#include <cstdint>

namespace heddle::simt {

/// Removes checks of indices that cannot fail: a branch or a loop's bound guards them, or another check has passed.
///
///     before                                                  after
///       br (icmp slt %i, %n), then, join                        br (icmp slt %i, %n), then, join
///     then:                                                   then:
///       call void @simt.check.index(3, %i, %i, 0, 0, %n)        load %a[%i]
///       load %a[%i]                                             store %a[%i]
///       call void @simt.check.index(4, %i, %i, 0, 0, %n)
///       store %a[%i]
///
/// `block`: the extents of the only blocks that the code runs, in the program's axes; 0 where they are not known.
/// Leaves: no masks or waits; blocks without checks are not touched. Thread indices have the ranges of `block`.
struct RemoveChecks : llvm::PassInfoMixin<RemoveChecks> {
  explicit RemoveChecks(std::array<uint32_t, 3> block = {}) : block(block) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  std::array<uint32_t, 3> block;
};

} // namespace heddle::simt
