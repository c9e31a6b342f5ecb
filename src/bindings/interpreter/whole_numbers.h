#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// The value as a Python int. Throws TypeError that names `what` is measured: "the number of bytes".
nanobind::object intOf(nanobind::handle value, const char *what);

/// An int, or what is one to Python, from 0 up to `most`. Throws TypeError or ValueError that names `what` is measured.
uint64_t wholeNumber(nanobind::handle value, const char *what, uint64_t most = INT64_MAX);

} // namespace heddle
