// Memory for device arrays: driver allocations that are kept for reuse.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

#include <map>
#include <optional>

namespace heddle::cuda {

/// Allocates with cuMemAlloc and keeps freed blocks, because cuMemAlloc takes up to a millisecond and cuMemFree waits
/// for the GPU. (Other allocators do not work with cuIpcGetMemHandle.) A reused block may be used in any stream
/// immediately: StreamOrder orders that use after the previous owner's work.
///
/// Free blocks in excess of an eighth of the device's memory are returned to the driver. If memory is exhausted, all
/// are.
class DeviceMemory {
public:
  struct Block {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };

  DeviceMemory(Context &context, StreamOrder &order, uint64_t deviceBytes)
      : context_(context), order_(order), limit_(deviceBytes / 8) {}

  /// Returns a block of at least `bytes`, or nullopt if memory is exhausted. The context must be current.
  std::optional<Block> takeCachedOrAllocate(size_t bytes);
  /// Frees a block without driver calls, so it may be called on the driver's callback thread.
  void freeToCache(const Block &block) noexcept;
  /// Marks a block as exported to another process, so that freeing it returns it to the driver.
  void markExported(CUdeviceptr address);
  /// Records that other GPUs may access this memory. Their streams are not ordered with those of this device, so freed
  /// blocks are returned to the driver, which tracks work in all streams.
  void markReachable() { reachable_ = true; }
  /// Returns unused memory to the driver. The context must be current; waits for the GPU.
  void trim();
  /// Bytes that are kept for reuse or are being returned to the driver.
  uint64_t cachedBytes();

private:
  using Lock = std::unique_lock<std::mutex>;
  std::optional<Block> takeCachedBlock(size_t bytes);
  /// True if a freed block can be reused only after a fence.
  bool needsFenceForCachedBlocks();
  /// Orders later work after the work of the owners of the first `freed` blocks.
  void orderAfterFrees(uint64_t freed);
  /// Moves blocks to aside_ until at most `most` bytes are kept for reuse. Called with the mutex held.
  void shrinkCacheTo(uint64_t most);
  /// Returns the blocks in aside_ to the driver.
  void freeBlocksSetAside();

  Context &context_;
  StreamOrder &order_;
  const uint64_t limit_;
  std::atomic<bool> reachable_{false};
  std::mutex releaseMutex_; ///< held while blocks return to the driver; acquired before mutex_
  std::mutex orderMutex_;   ///< guards ordered_
  uint64_t ordered_ = 0;    ///< number of freed blocks that the last fence covers
  /// Guards the members below. Never held during driver calls, which may wait for a callback that frees memory.
  std::mutex mutex_;
  std::multimap<size_t, CUdeviceptr> cached_;
  uint64_t freed_ = 0; ///< number of blocks freed so far
  uint64_t cachedBytes_ = 0;
  std::vector<Block> aside_;
  uint64_t asideBytes_ = 0;
  std::vector<CUdeviceptr> exported_;
};

} // namespace heddle::cuda
