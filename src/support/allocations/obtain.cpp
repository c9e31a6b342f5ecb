#include "support/allocations/obtain.h"

#include "support/os/private_heap.h"
#include "support/os/run_state.h"

extern "C" {

void *__real_malloc(size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);

void *heddle_obtain(size_t bytes, size_t alignment) {
  if (heddle::os::RunState *run = heddle::os::currentRun; run && run->heap)
    return run->heap->allocate(bytes, alignment);
  return alignment <= alignof(std::max_align_t) ? __real_malloc(bytes)
                                                : __real_aligned_alloc(alignment, bytes);
}

void *heddle_resize(void *block, size_t bytes) { return __real_realloc(block, bytes); }
}
