// The memory that an array of the CPU device is in.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

/// Bytes from `low` to `high`.
struct MemoryRange {
  const char *low, *high;
};

/// The allocation that an array is in, which is that of the array that it is a view of. `elements`: where its own are.
/// Nothing where other memory than NumPy's, Heddle's and CuPy's holds them: no one knows how far it reaches.
std::optional<MemoryRange> allocationOf(nanobind::handle array, MemoryRange elements);
/// The same for a piece of memory, and for CuPy's MemoryPointer, which leads into one.
std::optional<MemoryRange> allocationOfPointer(nanobind::handle pointer);

} // namespace heddle
