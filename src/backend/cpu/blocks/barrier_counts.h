// What barriers with a predicate count (syncthreads_count, _and, _or), in the fields of the BlockContext.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Adds what a thread or a group of threads brings to `barrier`. Nothing for a barrier without a predicate.
void countArrival(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &barrier);

/// When all have arrived: gives the counts to those that go on, and begins anew. The runtime does it for coroutines.
void publishCounts(llvm::IRBuilderBase &b, llvm::Value *context);

/// The result of a barrier with a predicate that has just been passed.
llvm::Value *countResult(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &barrier);

} // namespace heddle::cpu
