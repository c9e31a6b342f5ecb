#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Hoists the loop-invariant part of addresses out of loops, so that addressing modes cover the rest.
///
///     before, in a loop that changes %i            after, the first two before the loop
///       %k = add i64 %first, %i                      %p = getelementptr float, ptr %a, i64 %first
///       %v = getelementptr float, ptr %a, i64 %k     %q = getelementptr float, ptr %b, i64 %size
///       %s = select i1 %below, i64 %size, i64 0      %v = getelementptr float, ptr %p, i64 %i
///       %w = getelementptr float, ptr %b, i64 %s     %w = select i1 %below, ptr %q, ptr %b
class SplitAddresses : public llvm::PassInfoMixin<SplitAddresses> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
