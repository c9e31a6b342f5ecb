// Instructions and LLVM intrinsics that only compute: no memory, no control flow, no other threads.
#pragma once

#include "simt_interpreter/memory.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::interpreter {

/// The result of a binary or unary operator, a comparison, a cast, a select, a freeze, an address computation or an access
/// to an aggregate's element. Flags that make results poison (nsw, inbounds) are ignored. Throws Failure: Undefined for a
/// division that has no result, Unsupported for any other instruction.
Datum compute(const llvm::Instruction &i, llvm::ArrayRef<Datum> operands,
              const llvm::DataLayout &layout);

/// The result of an intrinsic. Throws Failure (Unsupported) for those that do more than compute.
Datum computeIntrinsic(const llvm::IntrinsicInst &call, llvm::ArrayRef<Datum> operands);

/// The bits of a float of a type as a number.
llvm::APFloat floatOf(const llvm::Type *type, const llvm::APInt &bits);

} // namespace heddle::interpreter
