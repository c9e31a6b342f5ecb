// Instructions and LLVM intrinsics that only compute values: no memory, no control flow, no other threads.
#pragma once

#include "simt_interpreter/memory.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::interpreter {

/// Evaluates a binary or unary operator, a comparison, a cast, a select, a freeze, an address computation or an access
/// to an aggregate's element. Ignores flags that make results poison (nsw, inbounds). Throws Failure: Undefined for a
/// division without a result, Unsupported for other instructions.
Datum computeInstruction(const llvm::Instruction &i, llvm::ArrayRef<Datum> operands,
                         const llvm::DataLayout &layout);

/// Evaluates an intrinsic. Throws Failure (Unsupported) for intrinsics that do more than compute.
Datum computeIntrinsic(const llvm::IntrinsicInst &call, llvm::ArrayRef<Datum> operands);

/// Interprets bits as a float of the given type.
llvm::APFloat floatOf(const llvm::Type *type, const llvm::APInt &bits);

} // namespace heddle::interpreter
