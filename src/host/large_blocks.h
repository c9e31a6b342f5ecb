// Recycles the memory of large arrays: new pages from the system cost more time than the loops that fill them.
#pragma once

#include <cstdint>

namespace heddle::host {

struct MemoryBlock {
  void *memory; ///< null if memory is exhausted
  uint64_t bytes;
};

/// Returns a block of at least `bytes` bytes.
MemoryBlock allocateBlock(uint64_t bytes, bool zeroed);
/// Frees a block, or keeps it for reuse. Any thread may free it.
void freeBlock(MemoryBlock block);

} // namespace heddle::host
