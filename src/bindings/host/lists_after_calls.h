// List arguments after a call that has changed them.
#pragma once

#include "frontend/python/types/types.h"
#include "host/memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Converts the items of `list` to Python objects. `object` is the Python list, and `before` holds the slots of its
/// items before the call: these items keep their objects. Raises TypeError for a random generator that was not in the
/// list.
nanobind::list readListAfterCall(python::Type element, host::Owner &list,
                                 llvm::ArrayRef<uint64_t> before, PyObject *object);

} // namespace heddle
