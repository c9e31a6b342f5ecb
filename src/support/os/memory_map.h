// Which addresses this process has memory at.
#pragma once

#include <cstdint>

namespace heddle {

/// Whether every byte from `first` to before `end` may be read, and written where `writable` asks. True where the
/// operating system cannot be asked, and for no bytes.
bool isMemory(uint64_t first, uint64_t end, bool writable);

} // namespace heddle
