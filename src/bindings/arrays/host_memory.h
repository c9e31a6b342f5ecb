// Python objects for pinned, mapped and managed host memory.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds HostMemoryBase, which gives its subclasses the buffer protocol for `size` bytes at `address`.
void bindHostMemory(nanobind::module_ &m);

} // namespace heddle
