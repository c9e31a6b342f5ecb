// Marks loop counters that cannot overflow, because the loop would not end.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Marks the counter of a loop as free of overflows if its step is a power of two. A counter that wraps around once
/// repeats the same values, so that the loop would run forever without an effect that others see. LLVM can then compute
/// the trip count, which unrolling needs. `int i; i += tile.size()` adds unsigned numbers, which may wrap around.
///
///     before                                 after
///       %next = add i32 %i, 32                 %next = add nsw i32 %i, 32
///       %more = icmp slt i32 %next, %n         %more = icmp slt i32 %next, %n
///       br i1 %more, label %loop, label %out   br i1 %more, label %loop, label %out
///
/// Leaves loops with another exit, a store, or an operation that other threads wait for: a barrier, a volatile access.
struct MarkFiniteCounters : llvm::PassInfoMixin<MarkFiniteCounters> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
