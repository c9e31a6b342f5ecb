// Launches CUDA C++ kernels: kernel(grid, block, arguments).
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds heddle._heddle.KernelLauncher, the base class of heddle.RawKernel. `kernel(grid, block, args=(), *,
/// shared_mem=0, stream=None)` launches without running Python code. Raises as readConfiguration,
/// appendCudaArgumentSlots and checkLaunch do.
void bindKernelLauncher(nanobind::module_ &m);

} // namespace heddle
