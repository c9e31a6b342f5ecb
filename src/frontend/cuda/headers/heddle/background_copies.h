// Copies from global to shared memory that GPUs of compute capability 8.0 and later perform in the background
// (cp.async). On other devices nothing is copied in the background.
#pragma once
#include "heddle/shared_addresses.h"

#if __HEDDLE_GPU__ >= 800

// Starts a copy of `bytes` (4, 8 or 16) bytes to an address aligned to that size. Reads `given` bytes; the others are
// 0.
template <unsigned bytes>
__HEDDLE_FN void __heddle_start_copy(void *to, const void *from, unsigned given = bytes) {
  const __attribute__((address_space(1))) void *source =
      (const __attribute__((address_space(1))) void *)from;
  if constexpr (bytes == 16) // the L1 cache can be bypassed
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(__heddle_shared_address(to)),
                 "l"(source), "r"(given)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(__heddle_shared_address(to)),
                 "l"(source), "n"(bytes), "r"(given)
                 : "memory");
}

// Starts the copies of every `count`-th piece, starting at piece `rank`.
template <unsigned size>
__HEDDLE_FN void __heddle_start_pieces(char *to, const char *from, size_t bytes, size_t rank,
                                       size_t count) {
  for (size_t i = rank * size; i + size <= bytes; i += count * size)
    __heddle_start_copy<size>(to + i, from + i);
}

// Starts copies if the hardware supports them, and returns whether it does. `alignment` divides the size and the
// addresses.
template <size_t alignment>
__HEDDLE_FN bool __heddle_start_copies(void *to, const void *from, size_t bytes, size_t rank,
                                       size_t count) {
  char *out = (char *)to;
  const char *in = (const char *)from;
  size_t together = (size_t)to | (size_t)from | bytes;
  if (!__isShared(to) || !__isGlobal(from))
    return false;
  if (alignment >= 16 || together % 16 == 0)
    __heddle_start_pieces<16>(out, in, bytes, rank, count);
  else if (alignment >= 8 || together % 8 == 0)
    __heddle_start_pieces<8>(out, in, bytes, rank, count);
  else if (alignment >= 4 || together % 4 == 0)
    __heddle_start_pieces<4>(out, in, bytes, rank, count);
  else
    return false;
  return true;
}

// Commits the thread's copies since its last group as a new group.
__HEDDLE_FN void __heddle_commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <unsigned newest> __HEDDLE_FN void __heddle_wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(newest) : "memory");
}
// Waits for the thread's groups of copies, except possibly the last `newest`.
__HEDDLE_FN void __heddle_wait_for_copies(size_t newest) {
  switch (newest) {
  case 0:
    return __heddle_wait_for_all_but<0>();
  case 1:
    return __heddle_wait_for_all_but<1>();
  case 2:
    return __heddle_wait_for_all_but<2>();
  case 3:
    return __heddle_wait_for_all_but<3>();
  case 4:
    return __heddle_wait_for_all_but<4>();
  case 5:
    return __heddle_wait_for_all_but<5>();
  case 6:
    return __heddle_wait_for_all_but<6>();
  default:
    return __heddle_wait_for_all_but<7>();
  }
}
// Waits for all copies of the thread, including those that are in no group.
__HEDDLE_FN void __heddle_wait_for_all_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#else

template <size_t alignment>
__HEDDLE_FN bool __heddle_start_copies(void *, const void *, size_t, size_t, size_t) {
  return false;
}
__HEDDLE_FN void __heddle_commit_copies() {}
__HEDDLE_FN void __heddle_wait_for_copies(size_t) {}
__HEDDLE_FN void __heddle_wait_for_all_copies() {}

#endif
