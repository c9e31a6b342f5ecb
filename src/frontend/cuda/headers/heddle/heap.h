// malloc, free, new and delete on one heap for all threads of a program. GPU drivers provide such a heap. On a CPU no
// memory outlives a block, so the heap is a variable of the program.
#pragma once

// The default size of CUDA's heap, unless the host requests another (cudaLimitMallocHeapSize).
static constexpr unsigned __heddle_heap_bytes = 8u << 20;
// A block has a power-of-two size. It consists of a 16-byte header and the memory that malloc returns. The header holds
// the power and a flag for allocated blocks.
static constexpr unsigned __heddle_block_head = 16, __heddle_block_taken = 0x7a4b0000u;

struct __heddle_heap {
  unsigned used; ///< end of the bytes ever allocated
  /// For each power of two: the offset of the first free block in the low half, a change count in the high half.
  unsigned long long given[24];
  __align__(16) unsigned words[__heddle_heap_bytes / 4];
};
__device__ inline __heddle_heap &__heddle_the_heap() {
  static __device__ __heddle_heap heap;
  return heap;
}

// Takes a block of 2^power bytes from the free list and returns its offset; the heap's end if the list is empty. Every
// change increments the count in the list's first word, which detects a block that was taken and returned in the
// meantime (the ABA problem).
__device__ inline unsigned __heddle_free_block(__heddle_heap &heap, unsigned power) {
  unsigned long long first = *(volatile unsigned long long *)&heap.given[power];
  while (unsigned memory = (unsigned)first) {
    unsigned next = *(volatile unsigned *)&heap.words[memory / 4];
    unsigned long long rest = ((first >> 32) + 1) << 32 | next;
    unsigned long long seen =
        __heddle_atomic_cas((unsigned long *)&heap.given[power], first, rest, 1);
    if (seen == first)
      return memory - __heddle_block_head;
    first = seen;
  }
  return __heddle_heap_bytes;
}

// Takes a new block from the unused end of the heap and returns its offset; the heap's end if the heap is full.
__device__ inline unsigned __heddle_new_block(__heddle_heap &heap, unsigned power) {
  unsigned used = *(volatile unsigned *)&heap.used, size = 1u << power;
  while (size <= __heddle_heap_bytes - used) {
    unsigned seen = __heddle_atomic_cas(&heap.used, used, used + size, 1);
    if (seen == used)
      return used;
    used = seen;
  }
  return __heddle_heap_bytes;
}

// Tells `heddle check` that memory is uninitialized. Has an effect only on the CPU device.
__HEDDLE_OP(void, __heddle_forget, "simt.check.forget", void *, unsigned long)

__device__ inline void *malloc(size_t n) {
  if (n == 0 || n > __heddle_heap_bytes - __heddle_block_head)
    return nullptr;
  unsigned power = 32 - (unsigned)__builtin_clz((unsigned)n + __heddle_block_head - 1);
  __heddle_heap &heap = __heddle_the_heap();
  unsigned place = __heddle_free_block(heap, power);
  if (place == __heddle_heap_bytes)
    place = __heddle_new_block(heap, power);
  if (place == __heddle_heap_bytes)
    return nullptr;
  heap.words[place / 4] = __heddle_block_taken | power;
  void *memory = heap.words + (place + __heddle_block_head) / 4;
  __heddle_forget(memory, n);
  return memory;
}

__device__ inline void free(void *p) {
  if (!p)
    return;
  __heddle_heap &heap = __heddle_the_heap();
  size_t memory = (size_t)p - (size_t)heap.words;
  bool mayBe = memory && memory < __heddle_heap_bytes && memory % __heddle_block_head == 0;
  unsigned *head = heap.words + (mayBe ? memory - __heddle_block_head : 0) / 4;
  unsigned held = *head, power = held & 0xffff;
  if (!mayBe || held != (__heddle_block_taken | power))
    __heddle_failed("RuntimeError", "free or delete of an address that malloc or new did not "
                                    "return, or a second time");
  *head = 0;
  unsigned long long first = *(volatile unsigned long long *)&heap.given[power];
  while (true) {
    *(volatile unsigned *)&heap.words[memory / 4] = (unsigned)first;
    __threadfence();
    unsigned long long mine = ((first >> 32) + 1) << 32 | memory;
    unsigned long long seen =
        __heddle_atomic_cas((unsigned long *)&heap.given[power], first, mine, 1);
    if (seen == first)
      return;
    first = seen;
  }
}

__HEDDLE_FN void *operator new(size_t n) { return malloc(n); }
__HEDDLE_FN void *operator new[](size_t n) { return malloc(n); }
__HEDDLE_FN void operator delete(void *p) noexcept { free(p); }
__HEDDLE_FN void operator delete[](void *p) noexcept { free(p); }
__HEDDLE_FN void operator delete(void *p, size_t) noexcept { free(p); }
__HEDDLE_FN void operator delete[](void *p, size_t) noexcept { free(p); }

namespace std {
using ::free;
using ::malloc;
} // namespace std
