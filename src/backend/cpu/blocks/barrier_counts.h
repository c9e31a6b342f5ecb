// Counters for barriers with a predicate (syncthreads_count, _and, _or), kept in the BlockContext.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Adds the arrival of a thread or group to the counters. Does nothing for a barrier without a predicate.
void countArrival(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &barrier);

/// Publishes the counts after all threads have arrived, and resets the counters. For coroutines, the runtime does this.
void publishCounts(llvm::IRBuilderBase &b, llvm::Value *context);

/// Emits the result of a barrier with a predicate, for the code after the barrier.
llvm::Value *countResult(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &barrier);

} // namespace heddle::cpu
