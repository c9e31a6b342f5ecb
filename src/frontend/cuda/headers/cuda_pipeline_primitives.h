// C interface for a thread's copies from global to shared memory.
#pragma once
#include <cuda_awbarrier_primitives.h>

// Fills the last `zeros` bytes with zeros and does not read their source.
__HEDDLE_FN void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from,
                                         size_t bytes, size_t zeros = 0) {
#if __HEDDLE_GPU__ >= 800
  unsigned given = (unsigned)(bytes - zeros);
  if (bytes == 16)
    __heddle_start_copy<16>(to, from, given);
  else if (bytes == 8)
    __heddle_start_copy<8>(to, from, given);
  else if (bytes == 4)
    __heddle_start_copy<4>(to, from, given);
  else
    __trap();
#else
  char *out = (char *)to;
  const char *in = (const char *)from;
  if (zeros == 0 && bytes == 16)
    *(int4 *)to = *(const int4 *)from;
  else if (zeros == 0 && bytes == 8)
    *(int2 *)to = *(const int2 *)from;
  else if (zeros == 0 && bytes == 4)
    *(int *)to = *(const int *)from;
  else
    for (size_t i = 0; i < bytes; ++i)
      out[i] = i < bytes - zeros ? in[i] : 0;
#endif
}
__HEDDLE_FN void __pipeline_commit() { __heddle_commit_copies(); }
__HEDDLE_FN void __pipeline_wait_prior(size_t newest) { __heddle_wait_for_copies(newest); }
// Makes the barrier's current phase wait for the thread's copies.
__HEDDLE_FN void __pipeline_arrive_on(__mbarrier_t *barrier) { barrier->includeCopies(); }
