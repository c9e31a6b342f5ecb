// Which parameters of a device function must be known while compiling.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// For each parameter, whether the function uses it where only a constant will do: in the shape of an array, or as the
/// number of dimensions of `grid` or `gridsize`. A call then compiles the function for the constant's value.
std::vector<bool> constantParameters(const FunctionSource &source);

} // namespace heddle::python
