#include "support/allocations/obtain.h"
#include "support/os/private_heap.h"
#include "support/os/run_state.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace heddle::os;

namespace {

[[maybe_unused]] const bool enabled = (PrivateHeap::enable(), true);

void *allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
  void *block = heddle_obtain(bytes, alignment);
  if (block)
    return block;
  // Data guarded by a lock must be consistent when the run is left.
  if (RunState *run = currentRun; run && run->heap && run->holdsLocks())
    block = run->heap->allocateFromReserve(bytes, alignment);
  if (!block)
    errno = ENOMEM;
  return block;
}

} // namespace

// With the linker's --wrap, calls of `f` go to `__wrap_f`, and `__real_f` is the original function.
extern "C" {

void __real_free(void *block);

void *__wrap_malloc(size_t bytes) { return allocate(bytes); }

void *__wrap_calloc(size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void *block = allocate(bytes);
  return block ? std::memset(block, 0, bytes) : nullptr;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) { return allocate(bytes, alignment); }

void __wrap_free(void *block) {
  if (PrivateHeap::owns(block))
    PrivateHeap::free(block, currentRun ? currentRun->heap : nullptr);
  else
    __real_free(block);
}

void *__wrap_realloc(void *block, size_t bytes) {
  if (!block)
    return allocate(bytes);
  if (!PrivateHeap::owns(block))
    return heddle_resize(block, bytes);
  size_t before = PrivateHeap::sizeOf(block);
  if (bytes <= before && bytes >= before / 2)
    return block;
  void *moved = allocate(bytes);
  if (!moved)
    return nullptr;
  std::memcpy(moved, block, std::min(before, bytes));
  __wrap_free(block);
  return moved;
}

} // extern "C"
