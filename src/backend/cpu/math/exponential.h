#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// A function for exp of double or of a vector of doubles, in the caller's module. All lengths give the same bits. The
/// error is below 1 ulp. SLEEF's function returns infinity from 709.78271115 on; the largest double is exp(709.78271289).
///
/// caller: a function with the target attributes of all callers. hasFma: the processor has FMA instructions.
llvm::Function *exponential(llvm::Function &caller, llvm::Type &type, bool hasFma);

} // namespace heddle::cpu
