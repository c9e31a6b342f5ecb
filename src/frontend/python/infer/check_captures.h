// A function defined in a kernel holds the values that its variables have where it is defined, or named. Python's look
// them up when they run.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Throws a CompileError (Unsupported) where the difference would show: a variable that a function captured is assigned,
/// and the function called after that with the value of before. The types of `f` are known.
void checkCaptures(const TypedFunction &f);

} // namespace heddle::python
