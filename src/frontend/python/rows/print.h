// Prints a typed function.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// The function with its types, as `inspect_types` prints it.
std::string formatTypedFunction(const TypedFunction &f);

} // namespace heddle::python
