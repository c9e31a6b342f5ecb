// Launches of kernels in CUDA C++: kernel(grid, block, arguments).
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// heddle._heddle.KernelLauncher, the base of heddle.RawKernel: `kernel(grid, block, args=(), *, shared_mem=0, stream=None)`
/// with none of Python's code in the way of a launch. Raises what readConfiguration, readCudaArguments and checkLaunch do.
void bindKernelLauncher(nanobind::module_ &m);

} // namespace heddle
