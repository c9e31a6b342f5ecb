// NumPy's dtypes as types of kernels' values, and back.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <string>

namespace heddle {

/// The type of a value of that dtype; unknown for what kernels do not have. Called with the GIL.
python::Type typeOfDtype(nanobind::handle dtype);

/// Why kernels have no type for the dtype: "kernels have no type for elements of dtype object".
std::string refusalOfDtype(nanobind::handle dtype);

/// Why an array cannot be an argument; empty for what has no dtype.
std::string refusalOfArray(nanobind::handle array);

/// The dtype of an array's element.
nanobind::object dtypeOf(python::Type element);

/// The same, made once for each type.
nanobind::handle knownDtype(python::Type element);

} // namespace heddle
