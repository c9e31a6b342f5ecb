// A CUDA driver without a GPU, for tests: libfakecuda.so, loaded instead of libcuda ($HEDDLE_LIBCUDA).
//
// Device memory is host memory. Copies and fills complete immediately. Host functions run on a thread of the library;
// a stream or event is not ready while host functions are pending. Kernels do not run: a launch is recorded with its
// arguments. Of PTX, only kernels, parameters, global variables and shared memory are parsed. Calls that the real
// driver would reject (no current context, addresses outside an allocation, double frees, calls inside a host function)
// are rejected and counted.
//
// Environment variables, read when the library is loaded:
//   FAKE_CUDA_DEVICES      number of GPUs; 0: the driver does not start (CUDA_ERROR_NO_DEVICE)    default 1
//   FAKE_CUDA_VERSION      CUDA version of the driver                                             default 13000
//   FAKE_CUDA_CAPABILITY   compute capability of every GPU, 90 for 9.0                            default 90
//   FAKE_CUDA_MEMORY       bytes of each GPU                                                      default 4 GiB
//   FAKE_CUDA_STALL_MS     maximum wait of a stalled call                                         default none
//   FAKE_CUDA_FAIL         function:code[@skip]: calls of `function` after the first `skip` return `code`
//
// After a failure with a code that loses the context, all later calls return the same code.
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
  const uint64_t *arguments; ///< each value in the low bytes
};

/// The functions below are found with dlsym. Those with an index or a name return null if there is no such item.
using FakeCudaLaunchCount = size_t (*)();
using FakeCudaLaunchAt = const FakeLaunch *(*)(size_t index);
/// Resets launches, planned failures, misuse and call counts.
using FakeCudaReset = void (*)();
/// See FAKE_CUDA_FAIL. Negative `times`: all calls fail. A negative code raises that signal in the call.
using FakeCudaFail = void (*)(const char *function, int code, int skip, int times);
/// The number of calls of a driver function since the last reset.
using FakeCudaCalls = size_t (*)(const char *function);
/// The number of calls that the real driver would reject, or that would do harm.
using FakeCudaMisuse = size_t (*)();
/// While held, no stream or event is ready.
using FakeCudaHold = void (*)(bool hold);
/// The next launch fails with this code, which loses the context: the next call that waits or queries reports it.
using FakeCudaFailLaunch = void (*)(int code);
/// While set, all streams capture.
using FakeCudaCapture = void (*)(bool captures);
/// Begins and ends a capture as another library does; `mode` is a CUstreamCaptureMode. They return an error code.
using FakeCudaBeginCapture = int (*)(uint64_t stream, int mode);
using FakeCudaEndCapture = int (*)(uint64_t stream, uint64_t *graph);
/// Does the work of a captured graph, and destroys the graph.
using FakeCudaRunGraph = void (*)(uint64_t graph, uint64_t stream);
using FakeCudaDestroyGraph = void (*)(uint64_t graph);
/// Makes calls of `function` wait, as the driver does when its queue is full. The calls continue after a call with
/// null, or after FAKE_CUDA_STALL_MS. Reports stalled calls at the end of the process on stderr.
using FakeCudaStall = void (*)(const char *function);
/// Adds kernel output that the next waiting function writes.
using FakeCudaPrint = void (*)(const char *text);
/// The memory of a global variable in the last loaded module that has it; null if there is none.
using FakeCudaGlobal = void *(*)(const char *name);
/// The optimization level of the last assembly.
using FakeCudaJitLevel = int (*)();
/// The number of live allocations of all kinds.
using FakeCudaAllocations = size_t (*)();
/// Makes a stream that heddle does not own.
using FakeCudaMakeStream = uint64_t (*)(unsigned flags);
}
