// Arrays of other libraries in GPU memory, read through __cuda_array_interface__ or DLPack. known_classes.h recognizes
// torch tensors and CuPy arrays.
#pragma once

#include "frontend/python/types/types.h"
#include "runtime/device.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

namespace heddle {

/// The properties of another library's array that a launch needs.
struct ForeignArray {
  void *data = nullptr;
  python::Type element;
  llvm::SmallVector<int64_t, 8> shape;
  llvm::SmallVector<int64_t, 8> strides; ///< in bytes
  bool readOnly = false;
  bool onHost = false; ///< in host memory: no other member is filled in
  /// The driver handle of the stream that produces the values.
  std::optional<uint64_t> producer;
  bool silent = false;        ///< the library does not tell which stream produces the values
  std::shared_ptr<void> hold; ///< must live until the kernel has run; usually null
  std::string problem;        ///< reason why it cannot be an argument; empty if it can
};

/// The destination of an argument. `device` is null if only the argument's type matters; `stream` is the driver handle
/// of the launch's stream, if there is a launch.
struct ForeignTarget {
  const Device *device = nullptr;
  std::optional<uint64_t> stream;
  std::optional<uint64_t> cupyStream{}; ///< CuPy's current stream, queried once

  /// The current stream of another library on one device, queried once.
  struct WorkStream {
    const void *library = nullptr;
    int32_t deviceType = 0, deviceIndex = 0;
    uint64_t handle = 0;

    bool isOf(const WorkStream &other) const {
      return library == other.library && deviceType == other.deviceType &&
             deviceIndex == other.deviceIndex;
    }
  };
  WorkStream workStream{};
};

/// Reads an array through __cuda_array_interface__; nullopt if it has none. Exceptions propagate. Before version 3 the
/// interface has no stream. If the array also supports DLPack, __dlpack__ then orders the launch after the array's
/// work.
std::optional<ForeignArray> readCudaArrayInterface(nanobind::handle value,
                                                   const ForeignTarget &target);

/// Reads an array through __dlpack__; nullopt if it has none.
std::optional<ForeignArray> readDlpack(nanobind::handle value, const ForeignTarget &target);

/// True if kernels wait for the streams that produce other libraries' arrays
/// (heddle.config.CUDA_ARRAY_INTERFACE_SYNC).
bool isProducerSyncEnabled();

} // namespace heddle
