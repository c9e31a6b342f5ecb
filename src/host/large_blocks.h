// Memory of large arrays, kept for the next ones: the system takes longer to give pages than loops take to fill them.
#pragma once

#include <cstdint>

namespace heddle::host {

struct MemoryBlock {
  void *memory; ///< null when there is none
  uint64_t bytes;
};

/// A block of that many bytes or a few more.
MemoryBlock allocateBlock(uint64_t bytes, bool zeroed);
/// By any thread.
void freeBlock(MemoryBlock block);

} // namespace heddle::host
