// Warnings of launches that run, but slower than they could. A program asks for them by numba's settings.
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Warns of a grid that is too small for most GPUs. Throws nb::python_error where the warning is made an error.
void warnOfSmallGrid(const LaunchShape &shape);
/// Warns of NumPy arrays among the arguments, which a GPU gets copies of. Throws as above.
void warnOfHostArrays();

/// What the program asked for; heddle.config sets it.
struct LaunchWarnings {
  bool smallGrids = false;
  bool hostArrays = false;
};
extern LaunchWarnings launchWarnings;

void bindLaunchWarnings(nanobind::module_ &m);

} // namespace heddle
