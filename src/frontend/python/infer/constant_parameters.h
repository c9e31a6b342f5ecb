// Finds parameters of device functions that must be compile-time constants.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// For each parameter, true if the function uses it in an argument of a library function that must be constant, such as
/// an array shape or the number of grid dimensions (LibraryRow::ofConstants). Each call then compiles the function for
/// the argument's value.
std::vector<bool> findConstantParameters(const FunctionSource &source);

} // namespace heddle::python
