// Queries the process's mapped memory.
#pragma once

#include <cstdint>

namespace heddle {

/// True if every byte in [first, end) is readable, and also writable if `writable` is set. Also true for an empty
/// range, and if the operating system cannot tell.
bool isMappedMemory(uint64_t first, uint64_t end, bool writable);

} // namespace heddle
