// The error of numba.literally for a value that is not a compile-time constant.
#pragma once

#include "support/diagnostic.h"

namespace heddle::python {

/// The value is an argument of the function. Compiling the function for that value avoids the error.
class LiteralWanted : public CompileError {
public:
  LiteralWanted(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};

} // namespace heddle::python
