// Translates a call of inline PTX to LLVM IR and SIMT operations.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Inserts the translated text before `call`, replaces its results and erases it. Returns true if the text contains
/// jumps, which can give a loop several entries. Throws Refusal, which leaves the function invalid.
bool translate(llvm::CallInst &call, EnclosingFunction &enclosing);

} // namespace heddle::ptx
