// A call of inline PTX becomes LLVM IR and operations of SIMT IR.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Puts what the text does in front of `call`, and its results in the place of the call, which is erased. Returns
/// whether the text jumps: loops may have got more than one entry then. Throws Refusal, and leaves a function that is
/// good for nothing.
bool translate(llvm::CallInst &call, Surroundings &around);

} // namespace heddle::ptx
