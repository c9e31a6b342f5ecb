// Arrays of other libraries in a GPU's memory: torch tensors and CuPy arrays by their class, then whatever offers
// __cuda_array_interface__, then DLPack.
#pragma once

#include "frontend/python/types.h"
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
  std::shared_ptr<void> hold; ///< what must live until the kernel has run; usually nothing
  std::string problem;        ///< why it cannot be an argument; empty when it can
};

/// Where an argument is wanted: `device` is null when only its type matters, `stream` is the driver's handle of the
/// launch's stream, where there is a launch.
struct ForeignTarget {
  const Device *device = nullptr;
  std::optional<uint64_t> stream;
};

/// Reads an array whose class is a known one: torch's, CuPy's, or one with DLPack's table of C functions. Nothing for
/// any other class.
std::optional<ForeignArray> readKnownClass(nanobind::handle value, const ForeignTarget &target);

/// Reads an array through __cuda_array_interface__ or __dlpack__; nothing when it has neither. What these raise
/// passes through.
std::optional<ForeignArray> readProtocols(nanobind::handle value, const ForeignTarget &target);

} // namespace heddle
