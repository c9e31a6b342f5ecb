// NumPy ufunc inner loops that run kernels on the CPU device.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindUfuncLoops(nanobind::module_ &m);

} // namespace heddle
