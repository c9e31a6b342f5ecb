// The layout of a generator's frame, in slots after its owner (simt/ir/host_memory.h):
//
//     owner | resume | release | place | yielded value, its owners | arguments, their owners | values live across a yield
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The first slot of each group for a generator of type `generator`.
struct FrameSlots {
  FrameSlots(llvm::LLVMContext &context, Type generator);

  unsigned yielded, ownersOfYielded, arguments;
};

/// The first slot after the arguments of `f` and their owners.
unsigned argumentsEnd(llvm::LLVMContext &context, const TypedFunction &f);

llvm::Value *frameSlot(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number);

/// Load a value or its owners, starting at `slot`, and advance `slot` past them.
Parts loadParts(llvm::IRBuilder<> &b, llvm::Value *frame, Type type, unsigned &slot);
OwnerList loadOwners(llvm::IRBuilder<> &b, llvm::Value *frame, size_t count, unsigned &slot);

/// The byte offsets from the owner at which the frame of `f` refers to memory that it owns: the yielded value, the
/// arguments.
std::vector<uint64_t> frameOwnerOffsets(llvm::LLVMContext &context, const TypedFunction &f);

} // namespace heddle::python
