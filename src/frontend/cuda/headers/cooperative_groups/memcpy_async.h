// Copies by all members of a group. They are made at once: waiting for them is a barrier.
#pragma once
#include "heddle/copies.h"
#include <cooperative_groups.h>

namespace cooperative_groups {

template <class Group, class _T, class Size>
__HEDDLE_FN void memcpy_async(const Group &g, _T *to, const _T *from, const Size &bytes) {
  __heddle_copy(to, from, (size_t)bytes, g.thread_rank(), g.size());
}
// Elements instead of bytes: as many as both places have.
template <class Group, class _T, class ToSize, class FromSize>
__HEDDLE_FN void memcpy_async(const Group &g, _T *to, const ToSize &toCount, const _T *from,
                              const FromSize &fromCount) {
  size_t count = (size_t)toCount < (size_t)fromCount ? (size_t)toCount : (size_t)fromCount;
  __heddle_copy(to, from, count * sizeof(_T), g.thread_rank(), g.size());
}
template <class Group> __HEDDLE_FN void wait(const Group &g) { g.sync(); }
// All but the last `newest` copies: those are there as well.
template <unsigned newest, class Group> __HEDDLE_FN void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups
