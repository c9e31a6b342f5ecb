#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// Converts the value to a Python int. `what` names the value in the TypeError, as in "the number of bytes".
nanobind::object toPythonInt(nanobind::handle value, const char *what);

/// Converts an int, or an object with __index__, to an integer in [0, most]. Otherwise throws a TypeError or ValueError
/// that names `what`.
uint64_t toUnsigned(nanobind::handle value, const char *what, uint64_t most = INT64_MAX);

} // namespace heddle
