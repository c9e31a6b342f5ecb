// Functions that this back end's passes share: they find kernels and operations, and insert code written as text.
#pragma once

#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::nvptx {

/// Attribute of kernels with a grid barrier.
inline constexpr const char *cooperativeAttribute = "heddle.cooperative";
/// Attribute of functions in which an atomic operation became a compare-and-swap loop.
inline constexpr const char *atomicLoopAttribute = "heddle.atomic-loop";
/// Attribute of kernels that can reach a recursive function.
inline constexpr const char *recursiveAttribute = "heddle.recursive";

using simt::isKernel;
using simt::simtCalls;

/// Replaces `call` by `v`, which gets the call's source location.
void replaceCall(llvm::CallInst &call, llvm::Value *v);

/// Replaces each SIMT operation by the result of `lowered`, unless the result is null. Returns true if it replaced any.
bool lowerOperationCalls(llvm::Function &f,
                         llvm::function_ref<llvm::Value *(llvm::CallInst &)> lowered);

/// Emits a PTX instruction as inline assembly, which LLVM cannot simplify. Operands and result have the same type.
llvm::Value *emitPtxInstruction(llvm::IRBuilder<> &b, const llvm::Twine &text,
                                llvm::ArrayRef<llvm::Value *> operands);

/// The ordering that LLVM preserves for a load written in PTX: that of a volatile load or of a plain load.
enum class PtxOrder { Volatile, Plain };

/// Emits a load of `bits` bits, 8 to 64, with a cache operator of PTX, such as "cs". Returns an integer.
llvm::Value *emitCachedLoad(llvm::IRBuilderBase &b, llvm::Value *pointer, unsigned bits,
                            llvm::StringRef cacheOperator, PtxOrder order);
/// Emits a store of an integer with a cache operator of PTX.
llvm::CallInst *emitCachedStore(llvm::IRBuilderBase &b, llvm::Value *pointer, llvm::Value *stored,
                                llvm::StringRef cacheOperator);

/// The first version of the PTX ISA (10 * major + minor) with all instructions of Hopper GPUs in the module's inline PTX;
/// 0 if there are none.
unsigned findPtxVersionOfHopperInstructions(const llvm::Module &m);
/// True if the module has inline PTX with products of warpgroups (wgmma).
bool usesWarpgroupProducts(const llvm::Module &m);
/// True if the module has inline PTX that sm_90a supports and sm_90 does not.
bool usesInstructionsOfExactHopper(const llvm::Module &m);
/// True if the module has SIMT atomics of 16 bytes.
bool usesWideAtomics(const llvm::Module &m);

/// Parses `text` (LLVM IR) and links its functions into `m` with internal linkage.
void linkDeviceCode(llvm::Module &m, llvm::StringRef text);

} // namespace heddle::nvptx
