// XORWOW (G. Marsaglia, "Xorshift RNGs", 2003): a 160-bit xorshift generator and a counter.
#pragma once
#include "heddle/random/xorwow_jumps.h"

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

namespace __heddle_random {

constexpr unsigned xorwow_increment = 362437;

__HEDDLE_FN void xorwow_step(unsigned (&v)[5]) {
  unsigned t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i)
    v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// Applies a polynomial in the step operator to `v`.
__device__ inline void xorwow_jump(unsigned (&v)[5], const unsigned *polynomial) {
  unsigned sum[5] = {};
  for (int i = 0; i < 160; ++i) {
    if (polynomial[i / 32] >> (i % 32) & 1)
      for (int k = 0; k < 5; ++k)
        sum[k] ^= v[k];
    xorwow_step(v);
  }
  for (int k = 0; k < 5; ++k)
    v[k] = sum[k];
}

} // namespace __heddle_random

__HEDDLE_FN unsigned curand(curandStateXORWOW *state) {
  __heddle_random::xorwow_step(state->v);
  state->d += __heddle_random::xorwow_increment;
  return state->v[4] + state->d;
}

// Skips `n` numbers.
__device__ inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
  for (int k = 0; k < 64 && n >> k; ++k)
    if (n >> k & 1)
      __heddle_random::xorwow_jump(state->v, __heddle_random::xorwow_steps(k));
  state->d += __heddle_random::xorwow_increment * (unsigned)n;
}
// Skips `n` subsequences of 2^67 numbers, which leaves the counter unchanged.
__device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  for (int k = 0; k < 64 && n >> k; ++k)
    if (n >> k & 1)
      __heddle_random::xorwow_jump(state->v, __heddle_random::xorwow_subsequences(k));
}

__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                   unsigned long long offset, curandStateXORWOW *state) {
  unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241 + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
}
