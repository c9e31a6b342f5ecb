// Output of kernels in programs with a redirected sys.stdout, such as notebooks.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Called before a printing kernel is launched: flushes the program's earlier output so that it precedes the kernel's.
void flushBeforePrintingLaunch();

void bindKernelOutput(nanobind::module_ &m);

} // namespace heddle
