// A NumPy memory allocator that pads arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds pad_numpy_arrays(). After a call, NumPy arrays that are created in the calling context have padding if they
/// are too large for a launch to copy. A kernel without an index check can then write past the end without harm.
void bindNumPyMemory(nanobind::module_ &m);

} // namespace heddle
