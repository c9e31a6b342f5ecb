// A NumPy memory allocator that pads arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds leave_room_behind_arrays(). Afterwards NumPy arrays created in this context have padding if they are too large
/// for a launch to copy. A kernel without an index check can then write past the end without harm.
void bindNumPyMemory(nanobind::module_ &m);

} // namespace heddle
