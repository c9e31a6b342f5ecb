// Counters for barriers with a predicate (syncthreads_count, _and, _or), kept in the BlockContext.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Emits code that adds the arrival of a thread or group to the counters; nothing for a barrier without a predicate.
void emitCountArrival(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &barrier);

/// Emits code that publishes the counts after all threads have arrived, and resets the counters. For coroutines, the
/// runtime does this.
void emitPublishAndResetCounts(llvm::IRBuilderBase &b, llvm::Value *context);

/// Emits the result of a barrier with a predicate, for the code after the barrier.
llvm::Value *emitPredicateResult(llvm::IRBuilderBase &b, llvm::Value *context,
                                 llvm::CallInst &barrier);

} // namespace heddle::cpu
