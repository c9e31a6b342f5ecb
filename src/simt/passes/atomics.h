// Lowers atomics that have no native instruction, or that a plain load and store can replace. Shared by all back ends.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// Operand bundle of simt.atomic.add and sub on floats: a vector whose elements replace the operand and are added (or
/// subtracted) one by one, in order.
inline constexpr const char *lanesBundle = "heddle.lanes";

/// The calls of atomic operations in `f`, in order.
llvm::SmallVector<llvm::CallInst *, 8> atomicCalls(llvm::Function &f);

/// The equivalent atomicrmw operation; nullopt if LLVM has none.
std::optional<llvm::AtomicRMWInst::BinOp> equivalentAtomicRMW(const llvm::CallInst &atomic);

/// Emits a load and a store, for memory that no other thread accesses in between. This and all functions below return
/// the old value.
llvm::Value *lowerToLoadAndStore(llvm::IRBuilderBase &b, llvm::CallInst &atomic);

/// Emits simt.atomic.cas as cmpxchg.
llvm::Value *lowerToCompareAndSwap(llvm::IRBuilderBase &b, llvm::CallInst &atomic,
                                   llvm::SyncScope::ID scope);

/// Emits any other atomic as a cmpxchg loop, see emitCompareAndSwapLoop. `guess` has the integer type to exchange.
llvm::Value *lowerToCompareAndSwapLoop(llvm::IRBuilderBase &b, llvm::CallInst &atomic,
                                       llvm::Value *guess, llvm::SyncScope::ID scope);

/// Emits a loop that replaces an integer in memory by `next(old)`, then branches to `done`. `guess` is the expected
/// value in memory; `exchange(old, new)` emits a compare-and-swap and returns the value found.
///
///       br loop
///     loop:
///       old = phi(guess, found); new = next(old); new == old ? done : attempt
///     attempt:
///       found = exchange(old, new); found == old ? done : loop
///
/// The builder must be at the end of a block without a terminator.
llvm::Value *
emitCompareAndSwapLoop(llvm::IRBuilderBase &b, llvm::Value *guess, llvm::BasicBlock *done,
                       llvm::function_ref<llvm::Value *(llvm::Value *)> next,
                       llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> exchange);

} // namespace heddle::simt
