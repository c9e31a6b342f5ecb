// Passes the operands of a warp operation or a named barrier to the runtime before the thread suspends, and loads the result afterwards.
//
//     before                                      after
//       %v = call i32 @simt.warp.shuffle.up.i32(    store ShuffleUp, 32, %mask, %d, %w, sext %x to BlockContext::warp
//                i32 3, i32 %mask, i32 %x,          (suspended until the lanes of %mask have arrived)
//                i32 %d, i32 %w)                    %r = load i64, BlockContext::warpResult
//                                                   %v = trunc i64 %r to i32
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Stores the kind and operands of `operation` in the block's context, at the builder's position.
void storeWarpArrival(llvm::IRBuilderBase &b, llvm::Value *context, llvm::CallInst &operation);

/// Loads the result of `operation`, right after the thread has been resumed.
llvm::Value *loadWarpResult(llvm::IRBuilderBase &b, llvm::Value *context,
                            llvm::CallInst &operation);

} // namespace heddle::cpu
