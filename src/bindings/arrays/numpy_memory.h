// Where NumPy gets the memory of arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// leave_room_behind_arrays(): from here on the arrays that NumPy makes in this context have room behind them, if they are
/// too large for a launch to copy. What a kernel writes there, which compares no index with the length, harms nobody.
void bindNumPyMemory(nanobind::module_ &m);

} // namespace heddle
