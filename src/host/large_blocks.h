// Recycles memory of large arrays, because the system takes longer to provide pages than loops take to fill them.
#pragma once

#include <cstdint>

namespace heddle::host {

struct MemoryBlock {
  void *memory; ///< null if memory is exhausted
  uint64_t bytes;
};

/// Returns a block of `bytes` or slightly more.
MemoryBlock allocateBlock(uint64_t bytes, bool zeroed);
/// May be called by any thread.
void freeBlock(MemoryBlock block);

} // namespace heddle::host
