#pragma once
#include "heddle/group_operators.h"

namespace cooperative_groups {

// Combines the values of the members up to and including this one.
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
// Combines the values of the members before this one. The first member gets zero.
template <class Group, class T, class Operator = plus<T>>
__HEDDLE_FN T exclusive_scan(const Group &g, T v, Operator op = Operator()) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() ? before : T();
}

template <unsigned n, class Parent, class T, class Operator = plus<T>,
          class = typename __heddle_if<(n > 32)>::type>
__HEDDLE_FN T inclusive_scan(const thread_block_tile<n, Parent> &g, T v, Operator op = Operator()) {
  __lanes_tile<32> warp(0, 1);
  T mine = inclusive_scan(warp, v, op);
  unsigned before = g.__warp();
  T earlier = g.__before_warp(warp.shfl(mine, 31), op, before, mine);
  return before ? op(earlier, mine) : mine;
}
template <unsigned n, class Parent, class T, class Operator = plus<T>,
          class = typename __heddle_if<(n > 32)>::type>
__HEDDLE_FN T exclusive_scan(const thread_block_tile<n, Parent> &g, T v, Operator op = Operator()) {
  __lanes_tile<32> warp(0, 1);
  T mine = inclusive_scan(warp, v, op), before = warp.shfl_up(mine, 1);
  unsigned count = g.__warp();
  T earlier = g.__before_warp(warp.shfl(mine, 31), op, count, mine);
  if (warp.thread_rank() == 0)
    return count ? earlier : T();
  return count ? op(earlier, before) : before;
}

} // namespace cooperative_groups
