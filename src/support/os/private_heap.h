// Memory of a guarded run.
//
// A fault may come from inside the allocator, which then holds its locks, or from code that has written over what the
// allocator knows. The process's own is no use after that; a private heap belongs to one run at a time, has no locks, and
// is never used again after a fault.
//
// Blocks live on after their run, and any thread may free them. Heaps without a run wait for the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::os {

/// Blocks have one of 80 sizes. Those up to 32 KiB lie in chunks of 1 MiB, which are divided into pages of one size each;
/// larger ones are mappings of their own. What is freed waits in a list of its size.
class PrivateHeap {
public:
  /// Lets runs have heaps: called where the program's malloc asks for one.
  static void enable();
  /// A heap that no run has; null when there are none to be had.
  static PrivateHeap *acquire();
  /// Ends the use of the heap by its run: the next may have it, or nobody ever.
  void giveBack();
  void abandon();

  /// Null when there is no memory. `alignment`: a power of 2. Called by the run that has the heap.
  void *allocate(size_t bytes, size_t alignment);
  /// The same from what is set aside for those who cannot do without.
  void *allocateFromReserve(size_t bytes, size_t alignment);

  /// Whether the block is from a private heap.
  static bool owns(const void *block);
  static size_t sizeOf(const void *block);
  /// Frees such a block. `mine`: the heap of the calling thread's run, if it is in one.
  static void free(void *block, PrivateHeap *mine);

private:
  struct Block {
    Block *next;
  };
  struct Chunk;
  static constexpr unsigned smallClasses = 40; ///< up to 32 KiB
  static constexpr unsigned classes = 80;      ///< up to 32 MiB

  static unsigned classFor(size_t bytes);
  static size_t bytesOf(unsigned sizeClass);
  static Chunk *chunkOf(const void *block);
  void *allocateSmall(unsigned sizeClass);
  void *allocateLarge(unsigned sizeClass);
  void *allocateAlone(size_t bytes, size_t alignment);
  bool addPage(unsigned sizeClass);
  Chunk *addChunk(size_t bytes);
  void freeMine(Block *block);
  void freeReturned();
  static void unmap(Chunk *chunk);
  void releaseEmptyChunks();

  Block *free_[classes] = {};
  char *next_[smallClasses] = {}; ///< what is left of the last page of that size
  char *end_[smallClasses] = {};
  size_t keptBytes_ = 0; ///< in free large blocks
  Chunk *chunks_ = nullptr;
  unsigned nextPage_ = ~0u; ///< of the first chunk
  size_t chunkCount_ = 0;
  void *reserve_ = nullptr; ///< a mapping for one chunk
  bool useReserve_ = false;
  std::atomic<Block *> returned_{nullptr}; ///< by other threads
};

} // namespace heddle::os
