// How the IR of a kernel reaches its BlockContext, and what the passes tell each other about a function.
#pragma once

#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <array>
#include <optional>

namespace heddle::cpu {

/// An out-of-line function that may call itself, directly or not.
inline constexpr const char *recursiveAttribute = "heddle.recursive";
/// On a kernel, decimal: bytes of stack that a thread's local arrays take, callees included.
inline constexpr const char *localBytesAttribute = "heddle.local-bytes";
/// On a kernel, decimal: bytes of its static shared variables.
inline constexpr const char *sharedBytesAttribute = "heddle.shared-bytes";
/// On what a KernelEntry points to: "block" or "thread", after its member of that name.
inline constexpr const char *entryAttribute = "heddle.entry";
/// On the same: it has barriers of the whole grid.
inline constexpr const char *cooperativeAttribute = "heddle.cooperative";
/// On the same: its threads may wait for others in loops.
inline constexpr const char *yieldsAttribute = "heddle.yields";
/// On the same: it has warp operations.
inline constexpr const char *warpsAttribute = "heddle.warps";
/// On a kernel that runs groups of threads, decimal: how many run together.
inline constexpr const char *widthAttribute = "heddle.width";
/// On the same, if groups take threads in the order of their numbers in the block: its thread index along x is that
/// number, of the first lane.
inline constexpr const char *linearAttribute = "heddle.linear";
/// On the same, if the loop over its threads along y is inside of that along x: threads of one x read the same.
inline constexpr const char *columnsAttribute = "heddle.columns";
/// On a kernel whose form depends on the block's shape: "rows" or "warps", which the groups follow.
inline constexpr const char *groupedAttribute = "heddle.grouped";
/// On what a KernelEntry points to, decimal: its BlockRuns; absent for No.
inline constexpr const char *runsAttribute = "heddle.runs";
/// On a kernel that is compiled for blocks of one shape: its extents along x, y and z as launched, "256,1,1".
inline constexpr const char *blockAttribute = "heddle.block";
/// Metadata of an alloca: nothing is in it from one barrier to the next.
inline constexpr const char *scratchMark = "heddle.scratch";
/// On a module variable that another object defines.
inline constexpr const char *elsewhereAttribute = "heddle.elsewhere";

/// The parameters that bind-context puts in front of a kernel's own. An out-of-line function gets the first only.
enum ContextParameter : unsigned {
  ContextArgument,
  ThreadXArgument,
  ThreadYArgument,
  ThreadZArgument
};
inline constexpr unsigned kernelContextParameters = 4;

using simt::isKernel;
using simt::simtCalls;
/// The decimal value of a function attribute; 0 when it is absent.
uint64_t numberAttribute(const llvm::Function &f, llvm::StringRef name);
void setNumberAttribute(llvm::Function &f, llvm::StringRef name, uint64_t value);
/// How many threads a kernel runs together.
unsigned widthOf(const llvm::Function &kernel);

/// The extents of the only blocks that a kernel runs, as launched; nothing where it runs any.
std::optional<std::array<uint32_t, 3>> fixedBlock(const llvm::Function &kernel);
void fixBlock(llvm::Function &kernel, std::array<uint32_t, 3> extents);

/// The context parameter of a function that bind-context has rewritten.
llvm::Value *contextOf(llvm::Function &f);
/// Adds what is known of every context pointer to parameter `index`.
void describeContext(llvm::Function &f, unsigned index);

/// The address of the BlockContext field at `offset` (use offsetof).
llvm::Value *fieldAddress(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset);
/// Loads a field that the runtime may change while the block runs.
llvm::LoadInst *loadField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                          llvm::Type *type);
/// Loads a field that stays what it is while the block runs: may be moved, merged, repeated. `least` and `bound`
/// give the value's range where there is one.
llvm::LoadInst *loadConstantField(llvm::IRBuilderBase &b, llvm::Value *context, size_t offset,
                                  llvm::Type *type, uint64_t least = 0, uint64_t bound = 0);
/// Calls the runtime for memory that is the running block's until it ends.
llvm::CallInst *allocateFrame(llvm::IRBuilderBase &b, llvm::Value *context, llvm::Value *bytes,
                              llvm::Value *alignment);
/// Marks `load` as one whose memory does not change while the block runs.
void markConstant(llvm::LoadInst &load);

/// Where code that must run first in `f` goes: after the allocas of the entry block.
llvm::BasicBlock::iterator startOf(llvm::Function &f);

/// A new function in front of `f`'s place with `front` before f's own parameters; it takes f's name, body and
/// attributes. `f` is left empty and without uses other than calls.
llvm::Function *prependParameters(llvm::Function &f, llvm::ArrayRef<llvm::Type *> front,
                                  llvm::ArrayRef<llvm::StringRef> names);

} // namespace heddle::cpu
