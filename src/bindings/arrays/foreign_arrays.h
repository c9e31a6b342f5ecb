// Arrays of other libraries in a GPU's memory: torch tensors and CuPy arrays by their class, then whatever offers
// __cuda_array_interface__, then DLPack.
#pragma once

#include "frontend/python/types/types.h"
#include "runtime/device.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

namespace heddle {

/// An array of another library, as a launch needs it.
struct ForeignArray {
  void *data = nullptr;
  python::Type element;
  llvm::SmallVector<int64_t, 8> shape;
  llvm::SmallVector<int64_t, 8> strides; ///< bytes
  bool readOnly = false;
  bool onHost = false; ///< it is the host's memory: nothing else is filled in
  /// The stream whose work so far made the values, by the driver's handle.
  std::optional<uint64_t> producer;
  bool silent = false; ///< it does not say what its values wait for, not even that they are there
  std::shared_ptr<void> hold; ///< what must live until the kernel has run; usually nothing
  std::string problem;        ///< why it cannot be an argument; empty when it can
};

/// Where an argument is wanted: `device` is null when only its type matters, `stream` is the driver's handle of the
/// launch's stream, where there is a launch.
struct ForeignTarget {
  const Device *device = nullptr;
  std::optional<uint64_t> stream;
  std::optional<uint64_t> cupyStream{}; ///< CuPy's current stream, asked for once
};

/// Reads an array whose class is a known one: torch's, CuPy's, or one with DLPack's table of C functions. Nothing for
/// any other class.
std::optional<ForeignArray> readKnownClass(nanobind::handle value, ForeignTarget &target);

/// Reads an array through __cuda_array_interface__; nothing when it has none. What that raises passes through. From
/// before version 3 the interface has no stream: where the array speaks DLPack too, that orders the launch after it.
std::optional<ForeignArray> readCudaArrayInterface(nanobind::handle value,
                                                   const ForeignTarget &target);

/// The same through __dlpack__.
std::optional<ForeignArray> readDlpack(nanobind::handle value, const ForeignTarget &target);

/// Whether kernels wait for the streams that made other libraries' arrays (heddle.config.CUDA_ARRAY_INTERFACE_SYNC).
bool waitsForProducers();

} // namespace heddle
