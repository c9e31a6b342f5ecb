#include "runtime/cuda/memory/device_memory.h"

#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"

#include <algorithm>

namespace heddle::cuda {

namespace {

/// The driver allocates small blocks in multiples of smallUnit, larger ones in multiples of its page.
constexpr size_t smallUnit = 512;
constexpr size_t page = size_t(2) << 20;
constexpr size_t largestSmall = size_t(1) << 20;

/// The block size for a request of `bytes`; 0 if no device has that much memory.
size_t roundUpSize(size_t bytes) {
  size_t unit = bytes <= largestSmall ? smallUnit : page;
  size_t most = std::max<size_t>(bytes, 1);
  return most > SIZE_MAX - unit ? 0 : (most + unit - 1) / unit * unit;
}

} // namespace

std::optional<DeviceMemory::Block> DeviceMemory::takeCachedBlock(size_t bytes) {
  Block block;
  uint64_t freed = 0;
  if (needsFenceForCachedBlocks() &&
      isCapturing(context_, legacyStream())) // a fence would end the capture
    return std::nullopt;
  {
    Lock lock(mutex_);
    auto found = cached_.lower_bound(bytes);
    // Accept at most a quarter of wasted memory.
    if (found == cached_.end() || found->first - bytes > bytes / 4)
      return std::nullopt;
    block = {found->second, found->first};
    cached_.erase(found);
    cachedBytes_ -= block.bytes;
    freed = freed_;
  }
  try {
    orderAfterFrees(freed);
  } catch (...) {
    freeToCache(block);
    throw;
  }
  return block;
}

bool DeviceMemory::needsFenceForCachedBlocks() {
  uint64_t freed = 0;
  {
    Lock lock(mutex_);
    if (cached_.empty())
      return false;
    freed = freed_;
  }
  Lock ordering(orderMutex_);
  return ordered_ < freed;
}

void DeviceMemory::orderAfterFrees(uint64_t freed) {
  Lock ordering(orderMutex_);
  if (ordered_ >= freed)
    return;
  order_.enqueueFence();
  ordered_ = freed;
}

std::optional<DeviceMemory::Block> DeviceMemory::takeCachedOrAllocate(size_t bytes) {
  size_t whole = roundUpSize(bytes);
  if (!whole)
    return std::nullopt;
  if (auto block = takeCachedBlock(whole))
    return block;
  for (bool trimmed = false;; trimmed = true) {
    Block block{0, whole};
    AllowedInCapture allowed(context_.driver());
    CUresult code = context_.driver().cuMemAlloc(&block.address, whole);
    if (code == result::success)
      return block;
    if (code != result::outOfMemory)
      context_.throwDriverError(code, "cuMemAlloc");
    if (trimmed)
      return std::nullopt;
    trim();
  }
}

void DeviceMemory::freeToCache(const Block &block) noexcept {
  bool over = false;
  {
    Lock lock(mutex_);
    try {
      auto exported = std::find(exported_.begin(), exported_.end(), block.address);
      if (exported != exported_.end()) {
        aside_.push_back(block);
        asideBytes_ += block.bytes;
        exported_.erase(exported);
      } else {
        cached_.emplace(block.bytes, block.address);
        cachedBytes_ += block.bytes;
        ++freed_;
        shrinkCacheTo(reachable_ ? 0 : limit_);
      }
      over = !aside_.empty();
    } catch (...) {
      // No memory for the bookkeeping: leak the block.
    }
  }
  if (over)
    freeOutsideCaptures(context_, [this] { freeBlocksSetAside(); });
}

void DeviceMemory::shrinkCacheTo(uint64_t most) {
  // Largest first: this needs the fewest calls, and large blocks are the least likely to be reused.
  while (cachedBytes_ > most && !cached_.empty()) {
    auto last = std::prev(cached_.end());
    aside_.push_back({last->second, last->first});
    asideBytes_ += last->first;
    cachedBytes_ -= last->first;
    cached_.erase(last);
  }
}

void DeviceMemory::freeBlocksSetAside() {
  Lock releasing(releaseMutex_);
  std::vector<Block> blocks;
  {
    Lock lock(mutex_);
    blocks.swap(aside_);
  }
  uint64_t bytes = 0;
  // cuMemFree waits for all device work that may use the memory.
  context_.runQuietly([&] {
    AllowedInCapture allowed(context_.driver());
    for (const Block &block : blocks)
      context_.driver().cuMemFree(block.address);
  });
  for (const Block &block : blocks)
    bytes += block.bytes;
  Lock lock(mutex_);
  asideBytes_ -= bytes;
}

void DeviceMemory::markExported(CUdeviceptr address) {
  Lock lock(mutex_);
  if (std::find(exported_.begin(), exported_.end(), address) == exported_.end())
    exported_.push_back(address);
}

void DeviceMemory::trim() {
  {
    Lock lock(mutex_);
    shrinkCacheTo(0);
  }
  freeBlocksSetAside();
}

uint64_t DeviceMemory::cachedBytes() {
  Lock lock(mutex_);
  return cachedBytes_ + asideBytes_;
}

} // namespace heddle::cuda
