// The CUDA driver, libcuda, loaded at run time.
#pragma once

#include "runtime/cuda/driver/types.h"

#include <string>

namespace heddle::cuda {

/// The driver's functions as pointers, by their base names.
struct Driver {
#define HEDDLE_CUDA_FUNCTION(name, version, parameters) CUresult(*name) parameters = nullptr;
#define HEDDLE_CUDA_OPTIONAL(name, version, parameters) CUresult(*name) parameters = nullptr;
#include "runtime/cuda/driver/functions.def"

  int version = 0; ///< in CUDA's encoding: 13000 for 13.0

  /// The driver's name for a result ("CUDA_ERROR_OUT_OF_MEMORY") and its description.
  std::string nameOfErrorCode(CUresult code) const;
  std::string descriptionOfErrorCode(CUresult code) const;
};

/// Converts an address to the driver's type.
inline CUdeviceptr toDevicePointer(const void *address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

/// The oldest supported driver version, in CUDA's encoding.
inline constexpr int oldestDriver = 12000;

/// The process's driver, loaded and initialized at the first call: $HEDDLE_LIBCUDA if set, else libcuda.so.1 from the
/// library path. Null if there is no usable driver; `whyNot` is then one sentence with the reason. Never unloaded.
const Driver *loadDriver(std::string &whyNot);

/// Records that the driver crashed in a call. The driver may still hold locks, on which later calls and its exit
/// handlers would wait forever. The process will therefore end without calling exit handlers.
void recordCrashAndSkipExitHandlers();
bool hasDriverCrashed();

/// True in a process forked from one that had initialized the driver, because CUDA does not work there.
bool isForkedChild();

/// True if the driver must not be called, after a fork or a crash.
bool isDriverUnusable();

/// True if the process is about to end, so that nothing needs to be freed.
bool isExiting();

} // namespace heddle::cuda
