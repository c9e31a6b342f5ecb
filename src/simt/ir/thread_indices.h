// Emits code that computes the position of a thread in its block.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// The number of lanes in a warp, on all devices.
inline constexpr unsigned warpSize = 32;

/// Emits the linear index of the thread in its block, an i32.
llvm::Value *emitThreadInBlock(llvm::IRBuilderBase &b);
/// Emits the number of threads of the block, an i32.
llvm::Value *emitBlockThreadCount(llvm::IRBuilderBase &b);

} // namespace heddle::simt
