// Final checks after type inference.
#pragma once

#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

/// Fails if a used value has no type, as in an infinite recursion or if a loop assigns a variable only from itself, and
/// if a statement names a function without calling it. Runs failIfContainersAreUntyped() and checkCaptures(). A
/// function that never returns gets the result type None.
void checkAllValuesTyped(const FunctionTyping &t);

} // namespace heddle::python
