// Memory for the coroutine frames of one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::cpu {

/// Hands out memory that is given back all at once. The pieces of one block lie one after the other, so that resuming
/// the threads in order walks through memory in order.
class FrameArena {
public:
  FrameArena() = default;
  ~FrameArena();
  FrameArena(const FrameArena &) = delete;
  FrameArena &operator=(const FrameArena &) = delete;

  /// At least 64-byte aligned. Null when the machine has no such memory left.
  void *allocate(uint64_t bytes, uint64_t alignment);
  /// Everything handed out is free again; the memory is kept for the next block.
  void reset();
  /// Gives memory back to the system when there is much of it.
  void trim();

private:
  struct Chunk {
    char *start;
    size_t bytes;
  };
  bool addChunk(size_t atLeast);

  std::vector<Chunk> chunks_;
  size_t current_ = 0; ///< chunk in use
  size_t used_ = 0;    ///< bytes of it
};

} // namespace heddle::cpu
