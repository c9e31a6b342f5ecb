// What is wrong with a function whose values have their types.
#pragma once

#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

/// Fails when a value that is used has no type: what only a recursion without an end leaves, or a variable that a loop
/// assigns from its own value. Fails when an operation is named and then not used, which is a call without its
/// parentheses. A function that returns nothing gets the type of None.
void checkTyped(const FunctionTyping &t);

} // namespace heddle::python
