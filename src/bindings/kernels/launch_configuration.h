// What stands in the brackets of kernel[grid, block, stream, sharedmem].
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <memory>

namespace heddle {

struct LaunchConfiguration {
  LaunchShape shape;
  std::shared_ptr<Stream> stream; ///< null for the current device's default stream
};

/// Reads it. A stream is heddle's, or another library's: a driver's handle, an object with __cuda_stream__, torch's,
/// CuPy's. Raises ValueError and TypeError for what no launch can be.
LaunchConfiguration readConfiguration(nanobind::handle configuration);
/// The same, one by one; the last two may be null.
LaunchConfiguration readConfiguration(nanobind::handle grid, nanobind::handle block,
                                      nanobind::handle stream, nanobind::handle sharedBytes);

} // namespace heddle
