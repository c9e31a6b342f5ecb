#pragma once
#include "heddle/group_operators.h"

namespace cooperative_groups {

// The values of all members combined, for each of them.
template <class Group, class T, class Operator>
__HEDDLE_FN T reduce(const Group &g, T v, Operator op) {
  unsigned rank = g.thread_rank(), size = g.size();
  unsigned step = 1;
  while (step < size)
    step *= 2;
  for (step /= 2; step; step /= 2) {
    T other = g.shfl_down(v, step);
    if (rank + step < size)
      v = op(v, other);
  }
  return g.shfl(v, 0);
}

} // namespace cooperative_groups
