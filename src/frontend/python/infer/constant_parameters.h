// Which parameters of a device function must be known while compiling.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// For each parameter, whether the function uses it in an argument of a library function whose row is ofConstants: in
/// the shape of an array, or as the number of dimensions of a grid. A call then compiles the function for its value.
std::vector<bool> constantParameters(const FunctionSource &source);

} // namespace heddle::python
