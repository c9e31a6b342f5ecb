// What the passes of this back end share: finding kernels and operations, and code written as text.
#pragma once

#include "simt/passes/lowering.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::nvptx {

/// A kernel that waits for its whole grid.
inline constexpr const char *cooperativeAttribute = "heddle.cooperative";
/// A function in which an atomic operation became a loop of exchanges.
inline constexpr const char *atomicLoopAttribute = "heddle.atomic-loop";
/// A kernel that can reach a function that calls itself.
inline constexpr const char *recursiveAttribute = "heddle.recursive";

using simt::isKernel;
using simt::simtCalls;

/// Puts `v` in place of `call`, whose source location stays with what replaced it.
void replaceCall(llvm::CallInst &call, llvm::Value *v);

/// Puts what `lowered` makes of each operation in its place; null leaves it. Whether there was one.
bool lowerCalls(llvm::Function &f, llvm::function_ref<llvm::Value *(llvm::CallInst &)> lowered);

/// Adds the definitions in `text`, LLVM's text form, to `m` as internal functions. What `m` has already stays.
void addCode(llvm::Module &m, llvm::StringRef text);

} // namespace heddle::nvptx
