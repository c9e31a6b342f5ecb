// Finds the allocation that contains an array of the CPU device.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

/// The bytes from `low` to `high`.
struct MemoryRange {
  const char *low, *high;
};

/// The allocation that contains an array; for a view, the allocation of the base array. `elements` is the range of the
/// array's elements. For memory from a CuPy pool, only the bytes that the program requested count. nullopt if the
/// memory is not from NumPy, Heddle or CuPy, because its extent is then unknown.
std::optional<MemoryRange> allocationOfArray(nanobind::handle array, MemoryRange elements);
/// The allocation of a memory object, or of the memory that CuPy's MemoryPointer points into; nullopt for other
/// objects.
std::optional<MemoryRange> allocationOfPointer(nanobind::handle pointer);

} // namespace heddle
