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

/// The grid and the block of the last launch as Python objects, and the shape that they denote. Programs often pass the
/// same objects again. Keeps only ints and tuples of ints, which never change. A zero-initialized object is valid.
struct KnownShape {
  PyObject *grid = nullptr, *block = nullptr;
  LaunchShape shape;

#ifdef Py_GIL_DISABLED // threads may launch at the same time
  bool matches(PyObject *, PyObject *) const { return false; }
  void storeIfConstant(PyObject *, PyObject *, const LaunchShape &) {}
#else
  bool matches(PyObject *givenGrid, PyObject *givenBlock) const {
    return grid == givenGrid && block == givenBlock;
  }
  void storeIfConstant(PyObject *givenGrid, PyObject *givenBlock, const LaunchShape &given);
#endif
  void forget();
};

/// Parses the configuration. A stream is heddle's or another library's: a driver handle, an object with
/// __cuda_stream__, a torch stream, a CuPy stream. Raises ValueError and TypeError for invalid configurations.
LaunchConfiguration readConfiguration(nanobind::handle configuration);
/// Parses the configuration from separate values; `stream` and `sharedBytes` may be null.
LaunchConfiguration readConfiguration(nanobind::handle grid, nanobind::handle block,
                                      nanobind::handle stream, nanobind::handle sharedBytes);
/// The stream of a launch; null for the current device's default stream. Raises TypeError for other objects.
std::shared_ptr<Stream> readStream(nanobind::handle value);

} // namespace heddle
