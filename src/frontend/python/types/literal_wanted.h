// The error of numba.literally for a value that is not a compile-time constant.
#pragma once

#include "support/diagnostic.h"

namespace heddle::python {

/// The value is parameter `parameter` of the function that is being compiled. The error disappears if the function is
/// compiled for the argument's value.
class LiteralWanted : public CompileError {
public:
  LiteralWanted(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};

} // namespace heddle::python
