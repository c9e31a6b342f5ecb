// Finds the allocation that contains an array of the CPU device.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

/// The bytes from `low` to `high`.
struct MemoryRange {
  const char *low, *high;
};

/// The allocation that contains an array; for views, that of the base array. `elements` is the range of the array's
/// elements. A CuPy pool's memory ends after the bytes that the program requested. nullopt if the memory is not from
/// NumPy, Heddle or CuPy, because its extent is then unknown.
std::optional<MemoryRange> allocationOf(nanobind::handle array, MemoryRange elements);
/// The same for an allocation object, and for CuPy's MemoryPointer, which points into one.
std::optional<MemoryRange> allocationOfPointer(nanobind::handle pointer);

} // namespace heddle
