// Kernels run by the thread that asks for them, beside all streams.
#pragma once

#include "runtime/device.h"

namespace heddle::cpu {

/// Runs a kernel of the CPU device on the calling thread and returns when it is done. False where only a stream can run
/// it: it needs a deep stack, all its blocks at once, or memory that there is none of. Throws the kernel's KernelError, Interrupted.
bool runHere(Kernel &kernel, const LaunchShape &shape, const uint64_t *arguments);

} // namespace heddle::cpu
