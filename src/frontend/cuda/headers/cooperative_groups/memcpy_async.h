// Copies by all members of a group. Each copy is a group of its thread's copies.
#pragma once
#include "heddle/copies.h"
#include <cooperative_groups.h>

namespace cooperative_groups {

template <class Group, class _T, class Size>
__HEDDLE_FN void memcpy_async(const Group &g, _T *to, const _T *from, const Size &bytes) {
  __heddle_copy(to, from, bytes, g.thread_rank(), g.size());
  __heddle_commit_copies();
}
// Sizes are element counts instead of bytes. Copies the smaller number of elements.
template <class Group, class _T, class ToSize, class FromSize>
__HEDDLE_FN void memcpy_async(const Group &g, _T *to, const ToSize &toCount, const _T *from,
                              const FromSize &fromCount) {
  size_t count = (size_t)toCount < (size_t)fromCount ? (size_t)toCount : (size_t)fromCount;
  __heddle_copy(to, from, count * sizeof(_T), g.thread_rank(), g.size());
  __heddle_commit_copies();
}
// Waits for all but the last `newest` copies.
template <unsigned newest, class Group> __HEDDLE_FN void wait_prior(const Group &g) {
  __heddle_wait_for_copies(newest);
  g.sync();
}
template <class Group> __HEDDLE_FN void wait(const Group &g) { wait_prior<0>(g); }

} // namespace cooperative_groups
