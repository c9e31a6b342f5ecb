// Memory for a block's coroutine frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::cpu {

/// A bump allocator that frees everything at once. A block's frames are adjacent and in thread order, so resuming the
/// threads in order accesses memory sequentially.
class FrameArena {
public:
  FrameArena() = default;
  ~FrameArena();
  FrameArena(const FrameArena &) = delete;
  FrameArena &operator=(const FrameArena &) = delete;

  /// Returns memory aligned to at least 64 bytes, or null if memory is exhausted.
  void *allocate(uint64_t bytes, uint64_t alignment);
  bool contains(const void *address) const;
  /// Frees all allocations and keeps the memory for the next block.
  void reset();
  /// Returns memory to the system if the arena holds much of it.
  void trim();

private:
  struct Chunk {
    char *start;
    size_t bytes;
  };
  bool addChunk(size_t atLeast);

  std::vector<Chunk> chunks_;
  size_t current_ = 0; ///< index of the chunk in use
  size_t used_ = 0;    ///< bytes used in that chunk
};

} // namespace heddle::cpu
