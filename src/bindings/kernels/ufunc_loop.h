// The function that NumPy's universal functions call for a run of elements, over kernels of the CPU device.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindUfuncLoops(nanobind::module_ &m);

} // namespace heddle
