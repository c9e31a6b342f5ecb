#include "host/large_blocks.h"

#include "support/os/memory_map.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace heddle::host {

namespace {

/// Smaller blocks are kept by malloc; for larger ones page faults cost little compared with the work on them.
constexpr uint64_t minKeptBytes = uint64_t(64) << 10, maxKeptBytes = uint64_t(16) << 20;
/// Blocks from this size on are mapped: zero-filled, and in huge pages if available.
constexpr uint64_t minMappedBytes = uint64_t(1) << 20;

/// Recently freed blocks. If another thread holds the lock, or held it during a fork, the cache is skipped.
class FreedBlocks {
public:
  MemoryBlock takeFittingBlock(uint64_t bytes) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock)
      for (MemoryBlock &block : blocks_)
        if (block.memory && block.bytes >= bytes && block.bytes - bytes <= bytes / 4)
          return std::exchange(block, {nullptr, 0});
    return {nullptr, 0};
  }

  /// Keeps `block` and returns the block to free instead.
  MemoryBlock keepBlockAndEvictAnother(MemoryBlock block) {
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

/// Never destroyed: arrays may be freed until the process ends.
FreedBlocks &freedBlocks() {
  static auto &blocks = *new FreedBlocks;
  return blocks;
}

bool isCacheableSize(uint64_t bytes) { return bytes >= minKeptBytes && bytes <= maxKeptBytes; }

} // namespace

MemoryBlock allocateBlock(uint64_t bytes, bool zeroed) {
  if (isCacheableSize(bytes) && (!zeroed || bytes < minMappedBytes))
    if (MemoryBlock block = freedBlocks().takeFittingBlock(bytes); block.memory) {
      if (zeroed)
        std::memset(block.memory, 0, bytes);
      return block;
    }
  if (bytes >= minMappedBytes)
    return {mapMemory(bytes), bytes};
  return {zeroed ? std::calloc(1, bytes) : std::malloc(bytes), bytes};
}

void freeBlock(MemoryBlock block) {
  if (isCacheableSize(block.bytes))
    block = freedBlocks().keepBlockAndEvictAnother(block);
  if (block.bytes >= minMappedBytes && block.memory)
    unmapMemory(block.memory, block.bytes);
  else
    std::free(block.memory);
}

} // namespace heddle::host
