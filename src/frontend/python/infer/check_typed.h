// Final checks after type inference.
#pragma once

#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

/// Fails if a used value has no type, which happens for infinite recursion and for variables that a loop assigns only
/// from themselves. Also fails for a function that is named but not called, as if its parentheses were forgotten. Gives
/// a function without a return value the type None.
void checkTyped(const FunctionTyping &t);

} // namespace heddle::python
