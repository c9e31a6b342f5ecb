#pragma once
#include "heddle/group_operators.h"

namespace cooperative_groups {

// Combines the values of all members. Each member gets the result.
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

// In a tile of lanes, each step exchanges values with the other half, so that all members end with the same result.
template <unsigned n, class T, class Operator>
__HEDDLE_FN T reduce(const __lanes_tile<n> &g, T v, Operator op) {
#pragma unroll
  for (unsigned step = n / 2; step; step /= 2)
    v = op(v, g.shfl_xor(v, step));
  return v;
}
template <unsigned n, class Parent, class T, class Operator>
__HEDDLE_FN T reduce(const thread_block_tile<n, Parent> &g, T v, Operator op) {
  if constexpr (n <= 32)
    return reduce((const __lanes_tile<n> &)g, v, op);
  else
    return g.__of_warps(reduce(__lanes_tile<32>(0, 1), v, op), op);
}

} // namespace cooperative_groups
