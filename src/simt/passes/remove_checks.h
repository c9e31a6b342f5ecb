#pragma once

#include "llvm/IR/PassManager.h"

#include <array>
#include <cstdint>

namespace heddle::simt {

/// Removes index checks that cannot fail because a branch, a loop bound, or an earlier check implies them, and wraps of
/// indices that cannot be negative.
///
///     before                                                  after
///       br (icmp slt %i, %n), then, join                        br (icmp slt %i, %n), then, join
///     then:                                                   then:
///       call void @simt.check.index(3, %i, %i, 0, 0, %n)        load %a[%i]
///       load %a[%i]                                             store %a[%i]
///       call void @simt.check.index(4, %i, %i, 0, 0, %n)
///       store %a[%i]
///
/// `block`: the block extents in the program's axes, if the code runs blocks of one shape; else 0.
/// Leaves: the CFG unchanged; functions without checks and wraps are not touched. Thread indices and block extents get
/// range attributes from `block`.
struct RemoveChecks : llvm::PassInfoMixin<RemoveChecks> {
  explicit RemoveChecks(std::array<uint32_t, 3> block = {}) : block(block) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  std::array<uint32_t, 3> block;
};

} // namespace heddle::simt
