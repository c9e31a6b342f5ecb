// Arrays that are read out of a list or an instance and used at once need no reference of their own.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Whether `v`, an array that a container keeps, is used only in its own block, by what takes no reference to it, and
/// before anything could have the container let it go.
bool isBorrowed(const TypedFunction &function, const Value &v);

} // namespace heddle::python
