#include "host/large_blocks.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <utility>

namespace heddle::host {

namespace {

/// What malloc keeps itself, and what is large enough that pages are few beside the work on them.
constexpr uint64_t smallest = uint64_t(64) << 10, largest = uint64_t(16) << 20;
/// From here on memory is the system's: zeros that nobody has written, in huge pages where it has them.
constexpr uint64_t fewestMapped = uint64_t(1) << 20;

/// The blocks that were freed last. Who finds another thread at it, or has been forked from one, does without.
class FreedBlocks {
public:
  MemoryBlock take(uint64_t bytes) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock)
      for (MemoryBlock &block : blocks_)
        if (block.memory && block.bytes >= bytes && block.bytes - bytes <= bytes / 4)
          return std::exchange(block, {nullptr, 0});
    return {nullptr, 0};
  }

  /// What is to be freed in its place.
  MemoryBlock keep(MemoryBlock block) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return block;
    for (MemoryBlock &place : blocks_)
      if (!place.memory)
        return std::exchange(place, block);
    next_ = (next_ + 1) % blocks_.size();
    return std::exchange(blocks_[next_], block);
  }

private:
  std::mutex mutex_;
  std::array<MemoryBlock, 4> blocks_{};
  size_t next_ = 0;
};

/// Never destroyed: arrays are freed until the process ends.
FreedBlocks &freedBlocks() {
  static auto &blocks = *new FreedBlocks;
  return blocks;
}

void *mapped(uint64_t bytes) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  madvise(memory, bytes, MADV_HUGEPAGE); // a wish
  return memory;
}

bool isKept(uint64_t bytes) { return bytes >= smallest && bytes <= largest; }

} // namespace

MemoryBlock allocateBlock(uint64_t bytes, bool zeroed) {
  if (isKept(bytes) && (!zeroed || bytes < fewestMapped))
    if (MemoryBlock block = freedBlocks().take(bytes); block.memory) {
      if (zeroed)
        std::memset(block.memory, 0, bytes);
      return block;
    }
  if (bytes >= fewestMapped)
    return {mapped(bytes), bytes};
  return {zeroed ? std::calloc(1, bytes) : std::malloc(bytes), bytes};
}

void freeBlock(MemoryBlock block) {
  if (isKept(block.bytes))
    block = freedBlocks().keep(block);
  if (block.bytes >= fewestMapped && block.memory)
    munmap(block.memory, block.bytes);
  else
    std::free(block.memory);
}

} // namespace heddle::host
