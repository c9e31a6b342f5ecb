// What atomics become where there is no instruction for one, or where none is needed: the same on every device.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// The bundle of simt.atomic.add and sub of a float, with a vector: its numbers are added one after the other, the first
/// first, in place of the operand.
inline constexpr const char *lanesBundle = "heddle.lanes";

/// The atomicrmw operation that means the same; nothing where LLVM has none.
std::optional<llvm::AtomicRMWInst::BinOp> sameOperation(const llvm::CallInst &atomic);

/// A load and a store: for memory that no other thread reaches in between. Returns the old value, as all of these do.
llvm::Value *lowerWithoutAtomic(llvm::IRBuilderBase &b, llvm::CallInst &atomic);

/// simt.atomic.cas as cmpxchg.
llvm::Value *lowerToCompareAndSwap(llvm::IRBuilderBase &b, llvm::CallInst &atomic,
                                   llvm::SyncScope::ID scope);

/// An atomic of any other kind as a loop of cmpxchg: see exchangeInLoop.
llvm::Value *lowerToLoop(llvm::IRBuilderBase &b, llvm::CallInst &atomic, llvm::Value *guess,
                         llvm::SyncScope::ID scope);

/// Replaces an integer in memory by what `next` makes of it. `guess` is what memory probably holds; `exchange(old, new)`
/// is a compare-and-swap, and returns what it found.
///
///       br loop
///     loop:
///       old = phi(guess, found); new = next(old); new == old ? done : attempt
///     attempt:
///       found = exchange(old, new); found == old ? done : loop
///
/// The builder stands at the end of a block that has no terminator yet.
llvm::Value *
exchangeInLoop(llvm::IRBuilderBase &b, llvm::Value *guess, llvm::BasicBlock *done,
               llvm::function_ref<llvm::Value *(llvm::Value *)> next,
               llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> exchange);

} // namespace heddle::simt
