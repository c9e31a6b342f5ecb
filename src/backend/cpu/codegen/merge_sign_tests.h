#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Merges the sign tests of nearby indices that count from the end if negative: `x[c[k]] + x[c[k + 1]]`
///
///     before                                             after
///       %i = load i64, ptr %p                              %i = load i64, ptr %p
///       %last.i = add i64 %i, %n                           %j = load i64, ptr %q
///       %below.i = icmp slt i64 %i, 0                      %signs = or i64 %i, %j
///       %wrapped.i = select i1 %below.i, %last.i, %i       %below = icmp slt i64 %signs, 0
///       %a = .. x[%wrapped.i]                              br i1 %below, label %ends, label %on, !prof !unlikely
///       %j = load i64, ptr %q                            ends:
///       ..                                                 %wrapped.i = ..
///       %wrapped.j = select i1 %below.j, %last.j, %j       %wrapped.j = ..
///                                                        on:
///                                                          phis of %i and %wrapped.i, of %j and %wrapped.j
///
/// Operands of the later index move up to the first. Runs after ExpectNonnegativeIndices, which recognizes the selects.
class MergeSignTests : public llvm::PassInfoMixin<MergeSignTests> {
public:
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
