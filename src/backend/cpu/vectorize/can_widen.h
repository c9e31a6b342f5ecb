#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

#include <string>

namespace heddle::cpu {

/// Whether `widen` knows the instruction.
bool canWiden(const llvm::Instruction &i);

/// An instruction that `widen` does not know, as users know it: "a volatile access", "nanosleep", "a call of f".
std::string nameOfUnknown(const llvm::Instruction &i);

/// Calls that say something of one thread and do nothing.
bool isNote(const llvm::CallInst &call);

/// Operations that each lane does by itself.
bool isOfOneLane(simt::Op op);

/// Arithmetic that returns a pair: the result, and whether it overflowed.
bool hasOverflowResult(llvm::Intrinsic::ID id);

} // namespace heddle::cpu
