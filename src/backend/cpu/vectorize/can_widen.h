#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

#include <string>

namespace heddle::cpu {

/// Returns true if widen() supports the instruction.
bool canWiden(const llvm::Instruction &i);

/// Describes an unsupported instruction for users: "a volatile access", "nanosleep", "a call of f".
std::string describeUnsupportedInstruction(const llvm::Instruction &i);

/// Returns true for calls that only carry information about a thread (assumptions, lifetimes).
bool isAnnotationCall(const llvm::CallInst &call);

/// Returns true for operations that each lane executes separately.
bool runsPerLane(simt::Op op);

/// Returns true for arithmetic intrinsics that return the result and an overflow bit.
bool hasOverflowResult(llvm::Intrinsic::ID id);

} // namespace heddle::cpu
