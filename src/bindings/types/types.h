// The types of kernel values as Python objects.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// A type as Python holds it. numba calls a function's missing result void; it is noneType() here.
struct PythonType {
  python::Type type;
};

/// Argument types and, where it was written, the result type of a function.
struct Signature {
  python::Type result; ///< unknown when it was not written
  std::vector<python::Type> arguments;
};

void bindTypes(nanobind::module_ &m);

/// numba's text of a signature: "(float32[:], int32) -> void".
std::string describe(const Signature &signature);

} // namespace heddle
