// The memory of device arrays: allocations of the driver, kept for reuse.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

#include <map>
#include <optional>

namespace heddle::cuda {

/// Memory from cuMemAlloc, which another process can open (cuIpcGetMemHandle takes no other), in blocks that are kept
/// when they are freed: cuMemAlloc takes up to a millisecond and cuMemFree waits for the GPU. A block that is taken again
/// may be used in any stream at once: StreamOrder keeps it apart from its last owner's work.
///
/// Freed blocks beyond an eighth of the device's memory go back to the driver, and all do when memory runs out.
class DeviceMemory {
public:
  struct Block {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };

  DeviceMemory(Context &context, StreamOrder &order, uint64_t deviceBytes)
      : context_(context), order_(order), limit_(deviceBytes / 8) {}

  /// A block of at least `bytes`; nothing when memory has run out. The context must be current.
  std::optional<Block> take(size_t bytes);
  /// Calls nothing of the driver: it may be called on the driver's own thread.
  void giveBack(const Block &block) noexcept;
  /// The block at this address has been shown to another process: it goes back to the driver when it is freed.
  void markExported(CUdeviceptr address);
  /// Other GPUs may use this memory from now on. Their streams are in no order with this device's: what is freed goes
  /// back to the driver, which knows them all.
  void noteReachable() { reachable_ = true; }
  /// Gives what nobody uses back to the driver. The context must be current; waits for the GPU.
  void trim();
  /// Bytes that are kept for reuse or on their way back to the driver.
  uint64_t cachedBytes();

private:
  using Lock = std::unique_lock<std::mutex>;
  std::optional<Block> reuse(size_t bytes);
  /// What is enqueued from now on begins after the work of the first `freed` blocks' owners.
  void orderAfter(uint64_t freed);
  /// Sets blocks aside until at most `most` bytes are kept for reuse. Called with the mutex held.
  void setAside(uint64_t most);
  /// Gives the blocks that were set aside back to the driver.
  void release();

  Context &context_;
  StreamOrder &order_;
  const uint64_t limit_;
  std::atomic<bool> reachable_{false};
  std::mutex releaseMutex_; ///< held while blocks go back; taken before mutex_
  std::mutex orderMutex_;   ///< guards ordered_
  uint64_t ordered_ = 0;    ///< of the blocks given back, how many the last fence came after
  /// Guards what follows. Never held while the driver is called: that may wait for a callback, which may free memory.
  std::mutex mutex_;
  std::multimap<size_t, CUdeviceptr> cached_;
  uint64_t freed_ = 0; ///< blocks given back so far
  uint64_t cachedBytes_ = 0;
  std::vector<Block> aside_;
  uint64_t asideBytes_ = 0;
  std::vector<CUdeviceptr> exported_;
};

} // namespace heddle::cuda
