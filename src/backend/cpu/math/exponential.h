#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Returns a function in the caller's module that computes exp of a double or of a vector of doubles. The results are
/// bit-identical for all vector lengths; the error is below 1 ulp. SLEEF's function is not used because it returns
/// infinity from 709.78271115 on, although exp(709.78271289) is finite.
///
/// caller: a function with the target attributes of all callers. hasFma: the processor has FMA instructions.
llvm::Function *getOrCreateExpFunction(llvm::Function &caller, llvm::Type &type, bool hasFma);

} // namespace heddle::cpu
