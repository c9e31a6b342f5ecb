// Converts between NumPy dtypes and types of kernel values.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <string>

namespace heddle {

/// The type of values with this dtype; unknown if kernels do not support it. Called with the GIL.
python::Type typeOfDtype(nanobind::handle dtype);

/// A message that the dtype is unsupported: "kernels have no type for elements of dtype object".
std::string unsupportedDtypeMessage(nanobind::handle dtype);

/// The reason why an array cannot be an argument; empty for objects without a dtype.
std::string describeUnsupportedArray(nanobind::handle array);

/// The dtype of an array element.
nanobind::object dtypeOf(python::Type element);

/// Like dtypeOf(), but returns the same dtype object at each call.
nanobind::handle cachedDtype(python::Type element);

} // namespace heddle
