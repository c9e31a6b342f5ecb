// C interface for a thread's copies to shared memory. The copies are synchronous.
#pragma once
#include "heddle/arrivals.h"

#ifndef __HEDDLE_MBARRIER_T
#define __HEDDLE_MBARRIER_T
typedef __heddle_arrivals __mbarrier_t;
#endif

// Fills the last `zeros` bytes with zeros and does not read their source.
__HEDDLE_FN void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from,
                                         size_t bytes, size_t zeros = 0) {
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
}
__HEDDLE_FN void __pipeline_commit() {}
__HEDDLE_FN void __pipeline_wait_prior(size_t) {}
__HEDDLE_FN void __pipeline_arrive_on(__mbarrier_t *) {}
