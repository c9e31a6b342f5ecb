// Traces of launches: `heddle trace`.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds `request_trace(kernel, launch, block, max_steps)`, and `take_trace()`, which waits for the CPU device and returns
/// the trace as a dict, or None, and the launches so far.
void bindTracedLaunches(nanobind::module_ &m);

} // namespace heddle
