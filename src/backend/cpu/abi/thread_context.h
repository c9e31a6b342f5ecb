// Access to the BlockContext from a kernel's IR, and the attributes through which passes communicate.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <array>
#include <optional>

namespace heddle::cpu {

/// On an out-of-line function that may call itself, directly or indirectly.
inline constexpr const char *recursiveAttribute = "heddle.recursive";
/// On a kernel, decimal: stack bytes of a thread's local arrays, including callees.
inline constexpr const char *localBytesAttribute = "heddle.local-bytes";
/// On a kernel, decimal: bytes of static shared variables.
inline constexpr const char *sharedBytesAttribute = "heddle.shared-bytes";
/// On a KernelEntry's function: "block" or "thread", the member that points to it.
inline constexpr const char *entryAttribute = "heddle.entry";
/// On a KernelEntry's function that contains grid barriers.
inline constexpr const char *cooperativeAttribute = "heddle.cooperative";
/// On a KernelEntry's function whose threads may spin on memory.
inline constexpr const char *yieldsAttribute = "heddle.yields";
/// On a KernelEntry's function that contains warp operations.
inline constexpr const char *warpsAttribute = "heddle.warps";
/// On a kernel that runs groups of threads, decimal: threads per group.
inline constexpr const char *widthAttribute = "heddle.width";
/// On a kernel whose groups follow the linear thread index: its x index is the linear index of the first lane.
inline constexpr const char *linearAttribute = "heddle.linear";
/// On a kernel whose loop over threads along y is nested inside that along x, because threads with equal x read the
/// same data.
inline constexpr const char *columnsAttribute = "heddle.columns";
/// On a kernel with variants for other block shapes: the rule that forms groups (setGrouped).
inline constexpr const char *groupedAttribute = "heddle.grouped";
/// On a KernelEntry's function, decimal: its BlockRuns; absent for No.
inline constexpr const char *runsAttribute = "heddle.runs";
/// On a kernel that is compiled for one block shape: its launched x, y and z extents, "256,1,1".
inline constexpr const char *blockAttribute = "heddle.block";
/// Metadata of an alloca whose contents are dead across barriers.
inline constexpr const char *scratchMetadata = "heddle.scratch";
/// On a module variable that is defined in another object.
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
/// The decimal value of a function attribute; 0 if absent.
uint64_t numberAttribute(const llvm::Function &f, llvm::StringRef name);
void setNumberAttribute(llvm::Function &f, llvm::StringRef name, uint64_t value);
/// The number of threads that a kernel runs together.
unsigned widthOf(const llvm::Function &kernel);

/// The blocks that a kernel's groups are for; No if it has no other variants.
Grouped groupedOf(const llvm::Function &kernel);
void setGrouped(llvm::Function &kernel, Grouped grouped);

/// The launched extents of a kernel compiled for one block shape; else nullopt.
std::optional<std::array<uint32_t, 3>> fixedBlock(const llvm::Function &kernel);
void setFixedBlock(llvm::Function &kernel, std::array<uint32_t, 3> extents);

/// The context parameter of a function, after bind-context.
llvm::Value *contextOf(llvm::Function &f);
/// Adds the known attributes of context pointers to parameter `index`.
void addContextAttributes(llvm::Function &f, unsigned index);

/// The address of the BlockContext field at `offset` (use offsetof).
llvm::Value *fieldAddress(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset);
/// Loads a field that the runtime may change while the block runs.
llvm::LoadInst *loadField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                          llvm::Type *type);
/// Loads a field that is constant while the block runs: the load may be moved, merged and repeated. `min` and `bound`
/// give the range of the value, if known.
llvm::LoadInst *loadConstantField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                                  llvm::Type *type, uint64_t min = 0, uint64_t bound = 0);
/// Allocates memory from the runtime that lives until the running block ends.
llvm::CallInst *allocateFrame(llvm::IRBuilderBase &b, llvm::Value *context, llvm::Value *bytes,
                              llvm::Value *alignment);
/// Marks a load of memory that is constant while the block runs.
void markInvariantLoad(llvm::LoadInst &load);

/// The insertion point for code at the start of `f`: after the allocas of the entry block.
llvm::BasicBlock::iterator entryInsertionPoint(llvm::Function &f);

/// Creates a function with the parameters `front` before those of `f`. It takes the name, body and attributes of `f`,
/// which is left empty, with only calls as uses.
llvm::Function *prependParameters(llvm::Function &f, llvm::ArrayRef<llvm::Type *> front,
                                  llvm::ArrayRef<llvm::StringRef> names);

} // namespace heddle::cpu
