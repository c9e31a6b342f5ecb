// Checks the captures of nested functions. In a kernel, a nested function captures values when it is defined or named;
// in Python, it looks up its variables when it runs.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Throws a CompileError (Unsupported) if the difference is observable: a captured variable is assigned, and the
/// function is later called with the old value. Needs: types for `f`.
void checkCaptures(const TypedFunction &f);

} // namespace heddle::python
