// Memory of the host that programs get as an object of its own: pinned, mapped, managed.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// HostMemoryBase: gives what is derived from it Python's buffer protocol, over the `size` bytes at its `address`.
void bindHostMemory(nanobind::module_ &m);

} // namespace heddle
