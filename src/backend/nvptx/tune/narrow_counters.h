#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Makes a 64-bit loop counter that only counts, up to a bound below 2^32, a 32-bit one: 64-bit addition and comparison
/// are two instructions each.
///
///     before                                      after
///       %i = phi i64 [ 0, .. ], [ %i1, .. ]         %i = phi i32 [ 0, .. ], [ %i1, .. ]
///       %i1 = add i64 %i, 4                         %i1 = add i32 %i, 4
///       %last = icmp eq i64 %i1, %n                 %last = icmp eq i32 %i1, trunc %n
struct NarrowCounters : llvm::PassInfoMixin<NarrowCounters> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
