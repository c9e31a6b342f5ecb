// A call of inline PTX becomes LLVM IR and operations of SIMT IR.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Inserts the translated text before `call`, replaces the call's results and erases the call. Returns whether the text
/// jumps: then a loop may have more than one entry. Throws Refusal and leaves an invalid function.
bool translate(llvm::CallInst &call, EnclosingFunction &enclosing);

} // namespace heddle::ptx
