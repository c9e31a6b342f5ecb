// Where a generator keeps what, in slots behind its owner (simt/ir/host_memory.h):
//
//     owner | resume | release | place | yielded value, its owners | arguments, their owners | values that outlive a yield
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The first slot of each group for a generator of type `generator`.
struct FrameSlots {
  FrameSlots(llvm::LLVMContext &context, Type generator);

  unsigned yielded, ownersOfYielded, arguments;
};

/// The slot behind the arguments of `f` and their owners.
unsigned endOfArguments(llvm::LLVMContext &context, const TypedFunction &f);

llvm::Value *slotOfFrame(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number);

/// A value, or the owners of one, that begin at `slot`, which moves behind them.
Parts loadParts(llvm::IRBuilder<> &b, llvm::Value *frame, Type type, unsigned &slot);
OwnerList loadOwners(llvm::IRBuilder<> &b, llvm::Value *frame, size_t count, unsigned &slot);

/// Where the frame of `f` refers to memory that it keeps, in bytes from the owner: the value that it yielded, its arguments.
std::vector<uint64_t> ownersInFrame(llvm::LLVMContext &context, const TypedFunction &f);

} // namespace heddle::python
