// The layout of a generator's frame, in slots after its owner (simt/ir/host_memory.h):
//
//     owner | resume | release | place | yielded value, its owners | arguments, their owners | values live across a yield
#pragma once

#include "frontend/python/emit/slots.h"

namespace heddle::python {

/// The last yielded value. The generator has references to its owners.
StoredValue yieldedValue(llvm::IRBuilder<> &b, Type generator, llvm::Value *frame);
/// The arguments of `f` in the frame, as a tuple.
StoredValue generatorArguments(llvm::IRBuilder<> &b, const TypedFunction &f, llvm::Value *frame);

/// The first slot after the arguments of `f` and their owners.
unsigned firstSlotAfterArguments(llvm::LLVMContext &context, const TypedFunction &f);

llvm::Value *frameSlot(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number);

/// Byte offsets, from the generator's owner, of the frame slots that hold owners: those of the yielded value and of the
/// arguments of `f`.
std::vector<uint64_t> frameOwnerOffsets(llvm::LLVMContext &context, const TypedFunction &f);

} // namespace heddle::python
