// List arguments after a call that has changed them.
#pragma once

#include "frontend/python/types/types.h"
#include "host/memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The Python objects of the items of `list`. Items that the Python list `object` held before the call, whose slots are
/// `before`, keep their objects. Raises TypeError for a random generator that was not in the list.
nanobind::list readListAfterCall(python::Type element, host::Owner &list,
                                 llvm::ArrayRef<uint64_t> before, PyObject *object);

} // namespace heddle
