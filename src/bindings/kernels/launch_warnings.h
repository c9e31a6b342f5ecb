// Performance warnings for launches. Enabled by numba's settings.
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Warns if the grid is too small for most GPUs. Throws nb::python_error if a filter turns the warning into an error.
void warnOfSmallGrid(const LaunchShape &shape);
/// Warns about NumPy arguments, which are copied to and from a GPU. Throws like warnOfSmallGrid().
void warnOfHostArrays();

/// The enabled warnings; set by heddle.config.
struct LaunchWarnings {
  bool smallGrids = false;
  bool hostArrays = false;
};
extern LaunchWarnings launchWarnings;

void bindLaunchWarnings(nanobind::module_ &m);

} // namespace heddle
