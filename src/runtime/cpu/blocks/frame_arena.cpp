#include "runtime/cpu/blocks/frame_arena.h"

#include "support/os/machine.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace heddle::cpu {

namespace {

constexpr size_t frameAlignment = 64;
constexpr size_t firstChunk = size_t(256) << 10;
/// Larger chunks check the available memory first: the system would overcommit and kill the process on use.
constexpr size_t largeChunk = size_t(32) << 20;
/// The memory that an idle worker keeps.
constexpr size_t keptBytes = size_t(16) << 20;

} // namespace

FrameArena::~FrameArena() {
  for (Chunk &c : chunks_)
    std::free(c.start);
}

bool FrameArena::contains(const void *address) const {
  return std::ranges::any_of(chunks_, [&](const Chunk &chunk) {
    return size_t(static_cast<const char *>(address) - chunk.start) < chunk.bytes;
  });
}

bool FrameArena::addChunk(size_t atLeast) {
  size_t bytes = chunks_.empty() ? firstChunk : chunks_.back().bytes * 2;
  // Unlimited doubling would take twice the memory that a large block needs.
  bytes = std::max(std::min(bytes, largeChunk), atLeast);
  bytes = (bytes + frameAlignment - 1) / frameAlignment * frameAlignment;
  if (bytes >= largeChunk && bytes > os::usableMemory().available / 2)
    return false;
  char *start = static_cast<char *>(std::aligned_alloc(frameAlignment, bytes));
  if (!start)
    return false;
  try {
    chunks_.push_back({start, bytes});
  } catch (const std::bad_alloc &) {
    std::free(start);
    return false;
  }
  return true;
}

void *FrameArena::allocate(uint64_t bytes, uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, frameAlignment);
  if (bytes > (uint64_t(1) << 46) || alignment > (uint64_t(1) << 20))
    return nullptr;
  for (; current_ < chunks_.size(); ++current_, used_ = 0) {
    Chunk &c = chunks_[current_];
    uint64_t address = reinterpret_cast<uint64_t>(c.start) + used_;
    uint64_t aligned = (address + alignment - 1) & ~(alignment - 1);
    uint64_t end = aligned - reinterpret_cast<uint64_t>(c.start) + bytes;
    if (end <= c.bytes) {
      used_ = end;
      return reinterpret_cast<void *>(aligned);
    }
  }
  if (!addChunk(bytes + alignment)) {
    current_ = chunks_.size();
    return nullptr;
  }
  return allocate(bytes, alignment);
}

void FrameArena::reset() {
  current_ = 0;
  used_ = 0;
}

void FrameArena::trim() {
  reset();
  size_t kept = 0;
  size_t n = 0;
  while (n < chunks_.size() && kept + chunks_[n].bytes <= keptBytes)
    kept += chunks_[n++].bytes;
  for (size_t i = n; i < chunks_.size(); ++i)
    std::free(chunks_[i].start);
  chunks_.resize(n);
}

} // namespace heddle::cpu
