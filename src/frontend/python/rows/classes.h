// Classes as values, which exist while compiling only: isinstance(x, C), type(x) is C.
#pragma once

#include "frontend/python/types/constant.h"

#include <optional>

namespace heddle::python {

/// The answer of isinstance(x, c) for an x of type `type`: `c` is a class, or a tuple of classes. Nothing when the compiler
/// does not know `c`, or not what class the value has.
std::optional<bool> isInstance(Type type, const Constant &c);

/// The answer of `type(x) is c` for an x of type `type`; nothing when `c` is no class.
std::optional<bool> isClassOfValues(Type type, const Constant &c);

} // namespace heddle::python
