// Translates a call of inline PTX to LLVM IR and SIMT operations.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Inserts the translation of `call` before it, replaces its results and erases it. Returns true if the text contains
/// jumps: a loop may then have several entries. Throws Refusal, after which the function is invalid.
bool translate(llvm::CallInst &call, EnclosingFunction &enclosing);

} // namespace heddle::ptx
