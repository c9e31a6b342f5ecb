// MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
// 1999): two linear recurrences modulo m1 and m2.
#pragma once

struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace __heddle_random {

// The successor of x0, x1, x2 is (forward * x_f - backward * x0) mod m, where f is 1 or 2.
struct Recurrence {
  unsigned m, forward, backward;
  int f;
};
constexpr Recurrence mrg_first = {4294967087u, 1403580u, 810728u, 1};
constexpr Recurrence mrg_second = {4294944443u, 527612u, 1370589u, 2};

__HEDDLE_FN unsigned mrg_product(unsigned x, unsigned y, unsigned m) {
  return (unsigned)((unsigned long long)x * y % m);
}
__HEDDLE_FN void mrg_step(unsigned (&x)[3], const Recurrence &r) {
  unsigned long long next =
      (unsigned long long)r.forward * x[r.f] + (unsigned long long)r.backward * (r.m - x[0]);
  x[0] = x[1];
  x[1] = x[2];
  x[2] = (unsigned)(next % r.m);
}

// Applies the matrix of 2^doublings * n steps to x.
__device__ inline void mrg_jump(unsigned (&x)[3], const Recurrence &r, unsigned long long n,
                                int doublings) {
  unsigned power[3][3];
  for (int column = 0; column < 3; ++column) {
    unsigned unit[3] = {column == 0, column == 1, column == 2};
    mrg_step(unit, r);
    for (int row = 0; row < 3; ++row)
      power[row][column] = unit[row];
  }
  for (int k = -doublings; k < 64 && (k < 0 || n >> k); ++k) {
    if (k >= 0 && n >> k & 1) {
      unsigned old[3] = {x[0], x[1], x[2]};
      for (int row = 0; row < 3; ++row) {
        unsigned long long sum = 0;
        for (int i = 0; i < 3; ++i)
          sum += mrg_product(power[row][i], old[i], r.m);
        x[row] = (unsigned)(sum % r.m);
      }
    }
    unsigned squared[3][3];
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) {
        unsigned long long sum = 0;
        for (int i = 0; i < 3; ++i)
          sum += mrg_product(power[row][i], power[i][column], r.m);
        squared[row][column] = (unsigned)(sum % r.m);
      }
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        power[row][column] = squared[row][column];
  }
}
__HEDDLE_FN void mrg_jump(curandStateMRG32k3a *state, unsigned long long n, int doublings) {
  if (!n)
    return;
  mrg_jump(state->s1, mrg_first, n, doublings);
  mrg_jump(state->s2, mrg_second, n, doublings);
}

} // namespace __heddle_random

// A number from 1 to m1.
__HEDDLE_FN double curand_MRG32k3a(curandStateMRG32k3a *state) {
  using namespace __heddle_random;
  mrg_step(state->s1, mrg_first);
  mrg_step(state->s2, mrg_second);
  unsigned x = state->s1[2], y = state->s2[2];
  return x > y ? x - y : (double)((unsigned long long)x + mrg_first.m - y);
}
__HEDDLE_FN unsigned curand(curandStateMRG32k3a *state) {
  return (unsigned)(curand_MRG32k3a(state) * 1.000000048662); // (2^32 - 1) / m1
}

// Skips `n` numbers, subsequences of 2^76 numbers, or sequences of 2^127 numbers.
__HEDDLE_FN void skipahead(unsigned long long n, curandStateMRG32k3a *state) {
  __heddle_random::mrg_jump(state, n, 0);
}
__HEDDLE_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state) {
  __heddle_random::mrg_jump(state, n, 76);
}
__HEDDLE_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state) {
  __heddle_random::mrg_jump(state, n, 127);
}

__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                   unsigned long long offset, curandStateMRG32k3a *state) {
  using namespace __heddle_random;
  unsigned low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
  constexpr unsigned start = 12345;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = seed ? mrg_product(i == 1 ? high : low, start, mrg_first.m) : start;
    state->s2[i] = seed ? mrg_product(i == 1 ? low : high, start, mrg_second.m) : start;
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
}
