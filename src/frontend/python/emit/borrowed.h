// Array references read from a list or an instance for immediate use, which need no reference count.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// True if `v`, an array that a container owns, needs no reference. All uses are in its block, keep no reference to the
/// array, and precede any operation that could make the container release it.
bool canBorrowArray(const TypedFunction &function, const Value &v);

} // namespace heddle::python
