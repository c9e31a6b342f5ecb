#include "support/os/private_heap.h"

#include <algorithm>
#include <bit>
#include <new>
#include <sys/mman.h>

namespace heddle::os {

namespace {

constexpr size_t chunkBytes = size_t(1) << 20; ///< size and alignment of chunks
constexpr size_t pageBytes = size_t(64) << 10;
constexpr unsigned pagesPerChunk = chunkBytes / pageBytes;
constexpr size_t headerBytes = 128;
constexpr size_t smallest = 16;
/// Sizes are multiples of 16 up to this size, then four per power of 2.
constexpr size_t finest = 128;
constexpr size_t largestSmall = size_t(32) << 10;
constexpr size_t largest = size_t(32) << 20;
/// Memory that a heap keeps for later runs: chunks, empty or not, and free large blocks.
constexpr size_t keptChunks = 64;
constexpr size_t maxKeptBytes = size_t(64) << 20;
/// Limit on the number of heaps; further runs use the process heap.
constexpr unsigned maxHeaps = 64;

bool enabled = false;
std::atomic<PrivateHeap *> idle[maxHeaps];
std::atomic<unsigned> inUse{0}; ///< heaps that runs use or that are idle

/// Two bits for each chunkBytes of address space. Unwritten pages of this array take no memory.
constexpr unsigned addressBits = 48;
constexpr unsigned perWord = 32;
/// Not an array of std::atomic, because a compiler could run eight million constructors.
uint64_t begins[(size_t(1) << addressBits) / chunkBytes / perWord];
constexpr uint64_t beginsHere = 1,
                   hasAll = 2; ///< a chunk begins here; the chunk covers all of these chunkBytes

std::atomic_ref<uint64_t> chunkStateWord(uintptr_t address) {
  return std::atomic_ref(begins[address / chunkBytes / perWord]);
}
unsigned chunkStateShift(uintptr_t address) { return unsigned(address / chunkBytes % perWord) * 2; }

size_t roundUp(size_t bytes, size_t multiple) { return (bytes + multiple - 1) & ~(multiple - 1); }

/// Maps memory at a multiple of chunkBytes with at least `bytes` usable; null if memory is exhausted.
void *mapAligned(size_t bytes) {
  size_t mapped = bytes + chunkBytes;
  if (mapped < bytes)
    return nullptr;
  void *found = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED)
    return nullptr;
  uintptr_t begin = reinterpret_cast<uintptr_t>(found), first = roundUp(begin, chunkBytes);
  if (first != begin)
    munmap(found, first - begin);
  munmap(reinterpret_cast<void *>(first + bytes), begin + mapped - (first + bytes));
  if ((first + bytes) >> addressBits) {
    munmap(reinterpret_cast<void *>(first), bytes);
    return nullptr;
  }
  return reinterpret_cast<void *>(first);
}

} // namespace

/// The header at the beginning of each chunk.
struct PrivateHeap::Chunk {
  PrivateHeap *heap;
  Chunk *next;
  size_t bytes; ///< of the mapping
  size_t live;  ///< number of allocated blocks, for chunks with pages
  bool hasSeveral;
  uint8_t classOfPage
      [pagesPerChunk]; ///< a chunk with one block uses only the first; `classes` means no class
};

unsigned PrivateHeap::sizeClassFor(size_t bytes) {
  if (bytes <= finest)
    return unsigned((std::max(bytes, smallest) - 1) / smallest);
  unsigned doubling =
      unsigned(std::bit_width(bytes - 1)) - unsigned(std::bit_width(finest - 1)) - 1;
  size_t quarter = (finest << doubling) / 4;
  return unsigned(finest / smallest + 4 * doubling + (bytes - 1 - (finest << doubling)) / quarter);
}

size_t PrivateHeap::bytesOfSizeClass(unsigned sizeClass) {
  if (sizeClass < finest / smallest)
    return (sizeClass + 1) * smallest;
  unsigned beyond = sizeClass - unsigned(finest / smallest);
  size_t base = finest << beyond / 4;
  return base + (beyond % 4 + 1) * (base / 4);
}

PrivateHeap::Chunk *PrivateHeap::chunkOf(const void *block) {
  return reinterpret_cast<Chunk *>(reinterpret_cast<uintptr_t>(block) & ~(chunkBytes - 1));
}

void PrivateHeap::enable() { enabled = true; }

PrivateHeap *PrivateHeap::acquire() {
  if (!enabled)
    return nullptr;
  PrivateHeap *heap = nullptr;
  for (auto &slot : idle)
    if ((heap = slot.exchange(nullptr, std::memory_order_acquire)))
      break;
  if (!heap) {
    void *memory = ++inUse <= maxHeaps
                       ? mmap(nullptr, roundUp(sizeof(PrivateHeap), 4096), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : MAP_FAILED;
    if (memory == MAP_FAILED) {
      --inUse;
      return nullptr;
    }
    heap = new (memory) PrivateHeap;
  }
  if (!heap->reserve_)
    heap->reserve_ = mapAligned(chunkBytes);
  heap->freeBlocksOfOtherThreads();
  return heap;
}

void PrivateHeap::release() {
  if (chunkCount_ > keptChunks)
    releaseEmptyChunks();
  for (auto &slot : idle) {
    PrivateHeap *none = nullptr;
    if (slot.compare_exchange_strong(none, this, std::memory_order_release))
      return;
  }
}

void PrivateHeap::abandon() { --inUse; }

void *PrivateHeap::allocate(size_t bytes, size_t alignment) {
  if (alignment > smallest) // small blocks with a power-of-2 size are aligned to their size
    bytes = std::bit_ceil(std::max(bytes, alignment));
  if (bytes <= largestSmall)
    return allocateSmall(sizeClassFor(bytes));
  return bytes <= largest && alignment <= headerBytes ? allocateLarge(sizeClassFor(bytes))
                                                      : allocateMapping(bytes, alignment);
}

void *PrivateHeap::allocateFromReserve(size_t bytes, size_t alignment) {
  useReserve_ = true;
  void *block = allocate(bytes, alignment);
  useReserve_ = false;
  return block;
}

void *PrivateHeap::allocateSmall(unsigned sizeClass) {
  Block *block = free_[sizeClass];
  if (block) {
    free_[sizeClass] = block->next;
  } else {
    size_t bytes = bytesOfSizeClass(sizeClass);
    if (size_t(end_[sizeClass] - next_[sizeClass]) < bytes && !addPage(sizeClass))
      return nullptr;
    if (free_[sizeClass]) // another thread has returned a block since
      return allocateSmall(sizeClass);
    block = reinterpret_cast<Block *>(next_[sizeClass]);
    next_[sizeClass] += bytes;
  }
  ++chunkOf(block)->live;
  return block;
}

bool PrivateHeap::addPage(unsigned sizeClass) {
  freeBlocksOfOtherThreads();
  if (free_[sizeClass])
    return true;
  if (nextPage_ >= pagesPerChunk) {
    Chunk *chunk = addChunk(chunkBytes);
    if (!chunk)
      return false;
    chunk->hasSeveral = true;
    chunk->next = chunks_;
    chunks_ = chunk;
    ++chunkCount_;
    nextPage_ = 0;
  }
  unsigned page = nextPage_++;
  chunks_->classOfPage[page] = uint8_t(sizeClass);
  char *begin = reinterpret_cast<char *>(chunks_) + page * pageBytes;
  size_t bytes = bytesOfSizeClass(sizeClass);
  next_[sizeClass] =
      page ? begin
           : begin + (std::has_single_bit(bytes) ? std::max(bytes, headerBytes) : headerBytes);
  end_[sizeClass] = begin + pageBytes;
  return true;
}

PrivateHeap::Chunk *PrivateHeap::addChunk(size_t bytes) {
  void *memory = mapAligned(bytes);
  if (!memory && useReserve_ && bytes <= chunkBytes) {
    memory = reserve_;
    reserve_ = nullptr;
  }
  if (!memory)
    return nullptr;
  auto *chunk = new (memory) Chunk{};
  chunk->heap = this;
  chunk->bytes = bytes;
  uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  uint64_t bits = bytes >= chunkBytes ? beginsHere | hasAll : beginsHere;
  chunkStateWord(address).fetch_or(bits << chunkStateShift(address), std::memory_order_relaxed);
  return chunk;
}

void *PrivateHeap::allocateLarge(unsigned sizeClass) {
  freeBlocksOfOtherThreads();
  if (Block *block = free_[sizeClass]) {
    free_[sizeClass] = block->next;
    keptBytes_ -= bytesOfSizeClass(sizeClass);
    return block;
  }
  Chunk *chunk = addChunk(roundUp(headerBytes + bytesOfSizeClass(sizeClass), 4096));
  if (!chunk)
    return nullptr;
  chunk->classOfPage[0] = uint8_t(sizeClass);
  return reinterpret_cast<char *>(chunk) + headerBytes;
}

void *PrivateHeap::allocateMapping(size_t bytes, size_t alignment) {
  size_t before = std::max(headerBytes, alignment);
  if (alignment >= chunkBytes || bytes >> addressBits)
    return nullptr;
  size_t least = before == headerBytes ? 0 : chunkBytes; // owns() relies on this
  Chunk *chunk = addChunk(std::max(roundUp(before + bytes, 4096), least));
  if (!chunk)
    return nullptr;
  chunk->classOfPage[0] = classes;
  return reinterpret_cast<char *>(chunk) + before;
}

bool PrivateHeap::owns(const void *block) {
  uintptr_t address = reinterpret_cast<uintptr_t>(block);
  if (address >> addressBits)
    return false;
  uint64_t bits =
      chunkStateWord(address).load(std::memory_order_relaxed) >> chunkStateShift(address);
  // Memory past a chunk smaller than chunkBytes may belong to others. These chunks have one block, after the header.
  return bits & hasAll || (bits & beginsHere && address % chunkBytes == headerBytes);
}

size_t PrivateHeap::sizeOf(const void *block) {
  const Chunk *chunk = chunkOf(block);
  size_t offset = size_t(static_cast<const char *>(block) - reinterpret_cast<const char *>(chunk));
  return chunk->hasSeveral ? bytesOfSizeClass(chunk->classOfPage[offset / pageBytes])
                           : chunk->bytes - offset;
}

void PrivateHeap::free(void *block, PrivateHeap *mine) {
  Chunk *chunk = chunkOf(block);
  auto *freed = static_cast<Block *>(block);
  if (chunk->heap == mine) {
    mine->freeOwnBlock(freed);
    return;
  }
  std::atomic<Block *> &returned = chunk->heap->returned_;
  freed->next = returned.load(std::memory_order_relaxed);
  while (!returned.compare_exchange_weak(freed->next, freed, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
}

void PrivateHeap::freeOwnBlock(Block *block) {
  Chunk *chunk = chunkOf(block);
  size_t offset = size_t(reinterpret_cast<char *>(block) - reinterpret_cast<char *>(chunk));
  unsigned sizeClass = chunk->classOfPage[chunk->hasSeveral ? offset / pageBytes : 0];
  if (chunk->hasSeveral)
    --chunk->live;
  else if (sizeClass == classes || keptBytes_ + bytesOfSizeClass(sizeClass) > maxKeptBytes)
    return unmap(chunk);
  else
    keptBytes_ += bytesOfSizeClass(sizeClass);
  block->next = free_[sizeClass];
  free_[sizeClass] = block;
}

void PrivateHeap::unmap(Chunk *chunk) {
  uintptr_t address = reinterpret_cast<uintptr_t>(chunk);
  chunkStateWord(address).fetch_and(~((beginsHere | hasAll) << chunkStateShift(address)),
                                    std::memory_order_relaxed);
  munmap(chunk, chunk->bytes);
}

void PrivateHeap::freeBlocksOfOtherThreads() {
  Block *block = returned_.exchange(nullptr, std::memory_order_acquire);
  while (block) {
    Block *next = block->next;
    freeOwnBlock(block);
    block = next;
  }
}

void PrivateHeap::releaseEmptyChunks() {
  freeBlocksOfOtherThreads();
  for (unsigned i = 0; i < smallClasses; ++i) {
    Block **link = &free_[i];
    while (*link)
      if (chunkOf(*link)->live)
        link = &(*link)->next;
      else
        *link = (*link)->next;
    if (next_[i] != end_[i] && !chunkOf(next_[i])->live)
      next_[i] = end_[i] = nullptr;
  }
  if (chunks_ && !chunks_->live)
    nextPage_ = ~0u; // the chunk's unused pages are unmapped with it
  for (Chunk **link = &chunks_; *link;) {
    Chunk *chunk = *link;
    if (chunk->live) {
      link = &chunk->next;
      continue;
    }
    *link = chunk->next;
    --chunkCount_;
    unmap(chunk);
  }
}

} // namespace heddle::os
