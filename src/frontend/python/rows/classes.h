// Classes as compile-time values: isinstance(x, C), type(x) is C.
#pragma once

#include "frontend/python/types/constant.h"

#include <optional>

namespace heddle::python {

/// The result of isinstance(x, c) for an x of type `type`, where `c` is a class or a tuple of classes. Returns nothing
/// if the compiler does not know `c` or the class of the value.
std::optional<bool> isInstance(Type type, const Constant &c);

/// The result of `type(x) is c` for an x of type `type`; nothing if `c` is not a class.
std::optional<bool> isExactClass(Type type, const Constant &c);

} // namespace heddle::python
