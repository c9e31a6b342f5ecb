// Parses kernel[grid, block, stream, sharedmem].
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <memory>

namespace heddle {

struct LaunchConfiguration {
  LaunchShape shape;
  std::shared_ptr<Stream> stream; ///< null for the current device's default stream
};

/// Parses the configuration. A stream is heddle's or another library's: a driver handle, an object with
/// __cuda_stream__, a torch stream, a CuPy stream. Raises ValueError and TypeError for invalid configurations.
LaunchConfiguration readConfiguration(nanobind::handle configuration);
/// The same for separate values; `stream` and `sharedBytes` may be null.
LaunchConfiguration readConfiguration(nanobind::handle grid, nanobind::handle block,
                                      nanobind::handle stream, nanobind::handle sharedBytes);

} // namespace heddle
