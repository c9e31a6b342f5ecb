#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// Converts the value to a Python int. `what` completes the TypeError: "the number of bytes".
nanobind::object intOf(nanobind::handle value, const char *what);

/// Converts an int or an object with __index__ in [0, most]. Throws TypeError or ValueError that names `what`.
uint64_t wholeNumber(nanobind::handle value, const char *what, uint64_t most = INT64_MAX);

} // namespace heddle
