// A CUDA driver without a GPU, for tests: libfakecuda.so, loaded in the place of libcuda ($HEDDLE_LIBCUDA).
//
// Device memory is the host's. Copies and fills are done at once; host functions run on a thread of the library, and a
// stream or event that has some left is not ready. Kernels are not run: a launch is noted, with its arguments. PTX is read
// as far as its kernels, parameters, global variables and shared memory go. What the real driver would refuse (no current
// context, addresses outside an allocation, memory freed twice, a call inside a host function) is refused and counted.
//
// The environment, read when the library is loaded:
//   FAKE_CUDA_DEVICES      how many GPUs; 0: the driver does not start (CUDA_ERROR_NO_DEVICE)     default 1
//   FAKE_CUDA_VERSION      the CUDA version of the driver                                         default 13000
//   FAKE_CUDA_CAPABILITY   of every GPU, as 90 for 9.0                                            default 90
//   FAKE_CUDA_MEMORY       bytes of each GPU                                                      default 4 GiB
//   FAKE_CUDA_STALL_MS     the longest wait of a call that is stalled                             default none
//   FAKE_CUDA_FAIL         function:code[@skip]: calls of `function` after the first `skip` return `code`
//
// A failure with the code of an error that loses the context makes every later call return it too.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct FakeLaunch {
  const char *kernel;
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  bool cooperative;
  size_t argumentCount;
  const uint64_t *arguments; ///< each in the low bytes
};

/// The functions below are found with dlsym. Those with a struct return null or false beyond the last one.
using FakeCudaLaunchCount = size_t (*)();
using FakeCudaLaunchAt = const FakeLaunch *(*)(size_t index);
/// Forgets launches, failures, misuse and calls.
using FakeCudaReset = void (*)();
/// See FAKE_CUDA_FAIL; `times` < 0: for ever.
using FakeCudaFail = void (*)(const char *function, int code, int skip, int times);
/// Calls of a driver function since the last reset.
using FakeCudaCalls = size_t (*)(const char *function);
/// Calls that the real driver would have refused or that would have done harm.
using FakeCudaMisuse = size_t (*)();
/// While true, nothing is ready.
using FakeCudaHold = void (*)(bool hold);
/// Calls of `function` wait, as the driver's do when its queue is full, until this is called with null, or as long as
/// FAKE_CUDA_STALL_MS says. The fake driver complains on stderr when the process ends around one.
using FakeCudaStall = void (*)(const char *function);
/// What kernels have printed and the driver has not yet written: the next function that waits writes it.
using FakeCudaPrint = void (*)(const char *text);
/// The memory of a global variable in the module loaded last that has it; null when there is none.
using FakeCudaGlobal = void *(*)(const char *name);
/// The optimisation level that PTX was assembled at the last time.
using FakeCudaJitLevel = int (*)();
/// Allocations of all kinds that live.
using FakeCudaAllocations = size_t (*)();
/// A stream that heddle did not make.
using FakeCudaMakeStream = uint64_t (*)(unsigned flags);
}
