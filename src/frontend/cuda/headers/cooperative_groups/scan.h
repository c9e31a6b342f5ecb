#pragma once
#include "heddle/group_operators.h"

namespace cooperative_groups {

// The values of the members up to this one combined.
template <class Group, class T, class Operator = plus<T>>
__HEDDLE_FN T inclusive_scan(const Group &g, T v, Operator op = Operator()) {
  unsigned rank = g.thread_rank(), size = g.size();
  for (unsigned step = 1; step < size; step *= 2) {
    T other = g.shfl_up(v, step);
    if (rank >= step)
      v = op(other, v);
  }
  return v;
}
// Those of the members before this one; the first gets a zero.
template <class Group, class T, class Operator = plus<T>>
__HEDDLE_FN T exclusive_scan(const Group &g, T v, Operator op = Operator()) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() ? before : T();
}

} // namespace cooperative_groups
