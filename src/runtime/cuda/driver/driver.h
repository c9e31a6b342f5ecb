// The CUDA driver, libcuda, found when the program runs.
#pragma once

#include "runtime/cuda/driver/types.h"

#include <string>

namespace heddle::cuda {

/// The driver's functions, one pointer each, by their base names.
struct Driver {
#define HEDDLE_CUDA_FUNCTION(name, version, parameters) CUresult(*name) parameters = nullptr;
#define HEDDLE_CUDA_OPTIONAL(name, version, parameters) CUresult(*name) parameters = nullptr;
#include "runtime/cuda/driver/functions.def"

  int version = 0; ///< as CUDA counts: 13000 for 13.0

  /// The driver's name for a result ("CUDA_ERROR_OUT_OF_MEMORY"), and its text.
  std::string nameOf(CUresult code) const;
  std::string textOf(CUresult code) const;
};

/// An address as the driver writes it.
inline CUdeviceptr number(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

/// The oldest driver that will do, as CUDA counts.
inline constexpr int oldestDriver = 12000;

/// The process's driver, loaded and initialised at the first call: $HEDDLE_LIBCUDA if set, else libcuda.so.1 where the
/// system finds libraries. Null when there is none that will do; `whyNot` is then one sentence. Never unloaded.
const Driver *loadDriver(std::string &whyNot);

/// Whether this process was forked from one that had initialised the driver: CUDA does not work in it.
bool isForkedChild();

/// Whether the process is about to end, so that nothing needs to be freed any more.
bool exiting();

} // namespace heddle::cuda
