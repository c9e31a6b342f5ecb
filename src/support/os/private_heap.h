// The memory allocator for guarded runs.
//
// A fault may occur inside the process allocator while it holds locks, or in code that has corrupted its data. The
// process allocator is unusable afterwards. A private heap serves one run at a time, has no locks, and is never reused
// after a fault.
//
// Blocks outlive the run, and any thread may free them. Idle heaps are kept for later runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::os {

/// A size-class allocator. Blocks up to 32 KiB come from pages of 1 MiB chunks; all blocks of a page have the same
/// size. Larger blocks are separate mappings. Freed blocks go to the free list of their class, except blocks above 32
/// MiB and large blocks beyond a limit, which are unmapped.
class PrivateHeap {
public:
  /// Enables private heaps for runs. Called if the program's malloc is wrapped.
  static void enable();
  /// Returns a heap for a new run; null if heaps are not enabled, too many exist, or memory is exhausted.
  static PrivateHeap *acquire();
  /// Ends the run's use of the heap. release() lets the next run use it; abandon() retires it.
  void release();
  void abandon();

  /// Returns null if memory is exhausted. `alignment` must be a power of 2. Only the run that uses the heap may call
  /// this.
  void *allocate(size_t bytes, size_t alignment);
  /// Like allocate(), but may use the reserve, for callers that must not fail.
  void *allocateFromReserve(size_t bytes, size_t alignment);

  /// True if the block belongs to a private heap.
  static bool owns(const void *block);
  static size_t sizeOf(const void *block);
  /// Frees a block of a private heap. `mine` is the heap of the calling thread's run; null outside runs.
  static void free(void *block, PrivateHeap *mine);

private:
  struct Block {
    Block *next;
  };
  struct Chunk;
  static constexpr unsigned smallClasses = 40; ///< up to 32 KiB
  static constexpr unsigned classes = 80;      ///< up to 32 MiB

  static unsigned sizeClassFor(size_t bytes);
  static size_t bytesOfSizeClass(unsigned sizeClass);
  static Chunk *chunkOf(const void *block);
  void *allocateSmall(unsigned sizeClass);
  void *allocateLarge(unsigned sizeClass);
  void *allocateMapping(size_t bytes, size_t alignment);
  bool addPage(unsigned sizeClass);
  Chunk *addChunk(size_t bytes);
  void freeOwnBlock(Block *block);
  void freeBlocksOfOtherThreads();
  static void unmap(Chunk *chunk);
  void releaseEmptyChunks();

  Block *free_[classes] = {};
  char *next_[smallClasses] = {}; ///< unused part of the last page with that size
  char *end_[smallClasses] = {};
  size_t keptBytes_ = 0; ///< in free large blocks
  Chunk *chunks_ = nullptr;
  unsigned nextPage_ = ~0u; ///< in the first chunk
  size_t chunkCount_ = 0;
  void *reserve_ = nullptr; ///< a mapping for one chunk
  bool useReserve_ = false;
  std::atomic<Block *> returned_{nullptr}; ///< freed by other threads
};

} // namespace heddle::os
