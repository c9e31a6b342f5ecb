// Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a counter and ten rounds.
#pragma once

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE; // number of words of the output already used
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__HEDDLE_FN uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long a = (unsigned long long)counter.x * 0xd2511f53u;
    unsigned long long b = (unsigned long long)counter.z * 0xcd9e8d57u;
    counter = {(unsigned)(b >> 32) ^ counter.y ^ key.x, (unsigned)b,
               (unsigned)(a >> 32) ^ counter.w ^ key.y, (unsigned)a};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

namespace __heddle_random {

// Adds to the 128-bit counter: `low` at bit 0, `high` at bit 64.
__HEDDLE_FN void philox_advance(curandStatePhilox4_32_10 *state, unsigned long long low,
                                unsigned long long high) {
  uint4 &c = state->ctr;
  unsigned long long first = (unsigned long long)c.y << 32 | c.x;
  unsigned long long second = (unsigned long long)c.w << 32 | c.z;
  first += low;
  second += high + (first < low);
  c = {(unsigned)first, (unsigned)(first >> 32), (unsigned)second, (unsigned)(second >> 32)};
  state->output = curand_Philox4x32_10(c, state->key);
}

} // namespace __heddle_random

__HEDDLE_FN unsigned curand(curandStatePhilox4_32_10 *state) {
  const uint4 &o = state->output;
  unsigned at = state->STATE++;
  unsigned word = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
  if (state->STATE == 4) {
    state->STATE = 0;
    __heddle_random::philox_advance(state, 1, 0);
  }
  return word;
}
__HEDDLE_FN uint4 curand4(curandStatePhilox4_32_10 *state) {
  uint4 words;
  words.x = curand(state);
  words.y = curand(state);
  words.z = curand(state);
  words.w = curand(state);
  return words;
}

// Skips `n` numbers.
__HEDDLE_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
  unsigned long long outputs = n / 4;
  state->STATE += (unsigned)(n % 4);
  if (state->STATE > 3) {
    state->STATE -= 4;
    ++outputs;
  }
  __heddle_random::philox_advance(state, outputs, 0);
}
// Skips `n` subsequences of 2^66 numbers.
__HEDDLE_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  __heddle_random::philox_advance(state, 0, n);
}

__HEDDLE_FN void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStatePhilox4_32_10 *state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {(unsigned)seed, (unsigned)(seed >> 32)};
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
