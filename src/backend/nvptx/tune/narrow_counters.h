#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Narrows 64-bit loop counters to 32 bits if the bound is below 2^32 and the counter has no other use. 64-bit
/// additions and comparisons take two instructions each.
///
///     before                                      after
///       %i = phi i64 [ 0, .. ], [ %i1, .. ]         %i = phi i32 [ 0, .. ], [ %i1, .. ]
///       %i1 = add i64 %i, 4                         %i1 = add i32 %i, 4
///       %last = icmp eq i64 %i1, %n                 %last = icmp eq i32 %i1, trunc %n
struct NarrowCounters : llvm::PassInfoMixin<NarrowCounters> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
