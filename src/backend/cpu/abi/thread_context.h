// Access to the BlockContext from a kernel's IR, and marks on functions and variables.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::cpu {

/// Attribute of an out-of-line function that may call itself, directly or indirectly.
inline constexpr const char *recursiveAttribute = "heddle.recursive";
/// Metadata of an alloca whose contents are dead across barriers.
inline constexpr const char *scratchMetadata = "heddle.scratch";
/// Attribute of a module variable that is defined in another object.
inline constexpr const char *definedElsewhereAttribute = "heddle.elsewhere";

/// The parameters that bind-context prepends to a kernel. Out-of-line functions get only the first one.
enum ContextParameter : unsigned {
  ContextArgument,
  ThreadXArgument,
  ThreadYArgument,
  ThreadZArgument
};
inline constexpr unsigned kernelContextParameters = 4;

using simt::isKernel;
using simt::simtCalls;

/// The context parameter of a function, after bind-context.
llvm::Value *contextOf(llvm::Function &f);
/// Adds the known attributes of context pointers to parameter `index`.
void addContextAttributes(llvm::Function &f, unsigned index);

/// The address of the BlockContext field at `offset` (use offsetof).
llvm::Value *emitFieldAddress(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset);
/// Loads a field that the runtime may change while the block runs.
llvm::LoadInst *loadField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                          llvm::Type *type);
/// Loads a field that is constant while the block runs: the load may be moved, merged and repeated. `min` and `bound`
/// give the range of the value, if known.
llvm::LoadInst *loadConstantField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                                  llvm::Type *type, uint64_t min = 0, uint64_t bound = 0);
/// Allocates memory from the runtime that lives until the running block ends.
llvm::CallInst *emitFrameAllocation(llvm::IRBuilderBase &b, llvm::Value *context,
                                    llvm::Value *bytes, llvm::Value *alignment);
/// Marks a load of memory that is constant while the block runs.
void markInvariantLoad(llvm::LoadInst &load);

/// The insertion point for code at the start of `f`: after the allocas of the entry block.
llvm::BasicBlock::iterator entryInsertionPoint(llvm::Function &f);

} // namespace heddle::cpu
