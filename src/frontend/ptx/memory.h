// Parts of memory instructions: state spaces, scopes, atomics.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Returns the state space of an access: "shared" for the shared window of this block and of its cluster, which
/// contains only this block; empty for generic addresses.
llvm::StringRef takeSpace(Step &s);
/// True for the scopes that contain only this block.
bool isBlockScope(llvm::StringRef scope);
void emitScopedFence(Step &s, llvm::StringRef scope);

/// Emits a loop around a compare-and-swap that replaces the integer at `pointer` by `compute` of it. Returns the old
/// integer.
llvm::Value *emitAtomicUpdate(Step &s, llvm::Value *pointer, unsigned bits, simt::Scope scope,
                              llvm::function_ref<llvm::Value *(llvm::Value *)> compute);
/// Emits the atomic operation with this name ("add", "cas"). Returns the old value. Throws Refusal for other types.
llvm::Value *emitAtomicOperation(Step &s, llvm::StringRef name, ScalarType type,
                                 llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
                                 simt::Scope scope);

} // namespace heddle::ptx
