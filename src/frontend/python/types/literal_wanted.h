// The error of numba.literally for a value that is not known while compiling.
#pragma once

#include "support/diagnostic.h"

namespace heddle::python {

/// It is an argument of the function: compiled for its value, the function has no such error.
class LiteralWanted : public CompileError {
public:
  LiteralWanted(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};

} // namespace heddle::python
