// Runs kernels on the calling thread, independent of streams.
#pragma once

#include "runtime/device.h"

namespace heddle::cpu {

/// Runs a CPU kernel on the calling thread and returns when it is done. Returns false if only a stream can run the
/// kernel: it needs a deep stack or all blocks at once, or memory is exhausted. Throws the kernel's KernelError, or
/// Interrupted.
bool runOnCallingThread(Kernel &kernel, const LaunchShape &shape, const uint64_t *arguments);

} // namespace heddle::cpu
