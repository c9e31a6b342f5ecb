// What kernels print, in programs whose output is elsewhere than the process's: notebooks.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// To be called before a kernel that prints is launched: puts what the program has printed so far before its lines.
void prepareForPrints();

void bindKernelOutput(nanobind::module_ &m);

} // namespace heddle
