// One-dimensional Sobol sequences, plain and scrambled, in Gray code order (I. Antonov, V. Saleev, 1979). The program
// supplies the direction vectors and the scramble constant.
#pragma once

typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace __heddle_random {

template <class Word> struct sobol_sequence {
  Word i, x, c; // the number of the next point, the point, the scramble constant
  Word direction_vectors[8 * sizeof(Word)];

  __HEDDLE_FN void begin(const Word *vectors, Word scramble, Word offset) {
    i = 0;
    c = scramble;
    for (unsigned bit = 0; bit < 8 * sizeof(Word); ++bit)
      direction_vectors[bit] = vectors[bit];
    skip(offset);
  }
  __HEDDLE_FN void skip(Word n) {
    i += n;
    x = c;
    Word code = i ^ (i >> 1);
    for (unsigned bit = 0; bit < 8 * sizeof(Word); ++bit)
      x ^= code >> bit & 1 ? direction_vectors[bit] : 0;
  }
  // Consecutive points differ by the direction vector of the lowest zero bit in the first point's number.
  __HEDDLE_FN Word next() {
    Word result = x, last = ~i;
    ++i;
    if (last)
      x ^= direction_vectors[sizeof(Word) == 4 ? __ffs((int)last) - 1
                                               : __ffsll((long long)last) - 1];
    return result;
  }
};

// Applies the inverse distribution function, which keeps the points evenly distributed.
__HEDDLE_FN float normal_of(unsigned bits) {
  bool upper = bits > 0x80000000u;
  float p = unit(upper ? 0xffffffffu - bits : bits);
  return (upper ? 1.4142135623730951f : -1.4142135623730951f) * erfcinvf(2 * p);
}
__HEDDLE_FN double normal_double_of(unsigned bits) {
  bool upper = bits > 0x80000000u;
  double p = (upper ? 0xffffffffu - bits : bits) * 2.3283064365386963e-10 + 1.1641532182693481e-10;
  return (upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * p);
}
__HEDDLE_FN double normal_double_of(unsigned long long bits) {
  bits >>= 11;
  bool upper = bits > 0x10000000000000ull;
  double p =
      (upper ? 0x1fffffffffffffull - bits : bits) * two_to_the_minus_53 + two_to_the_minus_53 / 2;
  return (upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * p);
}

} // namespace __heddle_random

struct curandStateSobol32 : __heddle_random::sobol_sequence<unsigned> {};
struct curandStateScrambledSobol32 : __heddle_random::sobol_sequence<unsigned> {};
struct curandStateSobol64 : __heddle_random::sobol_sequence<unsigned long long> {};
struct curandStateScrambledSobol64 : __heddle_random::sobol_sequence<unsigned long long> {};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;

__HEDDLE_FN void curand_init(const unsigned *vectors, unsigned offset, curandStateSobol32 *state) {
  state->begin(vectors, 0, offset);
}
__HEDDLE_FN void curand_init(const unsigned long long *vectors, unsigned long long offset,
                             curandStateSobol64 *state) {
  state->begin(vectors, 0, offset);
}
__HEDDLE_FN void curand_init(const unsigned *vectors, unsigned scramble, unsigned offset,
                             curandStateScrambledSobol32 *state) {
  state->begin(vectors, scramble, offset);
}
__HEDDLE_FN void curand_init(const unsigned long long *vectors, unsigned long long scramble,
                             unsigned long long offset, curandStateScrambledSobol64 *state) {
  state->begin(vectors, scramble, offset);
}

#define __HEDDLE_SOBOL(State, Word, upper, as_double)                                              \
  __HEDDLE_FN Word curand(State *state) { return state->next(); }                                  \
  __HEDDLE_FN void skipahead(Word n, State *state) { state->skip(n); }                             \
  __HEDDLE_FN float curand_uniform(State *state) {                                                 \
    return __heddle_random::unit((unsigned)(curand(state) >> upper));                              \
  }                                                                                                \
  __HEDDLE_FN double curand_uniform_double(State *state) {                                         \
    Word bits = curand(state);                                                                     \
    return as_double;                                                                              \
  }                                                                                                \
  __HEDDLE_FN float curand_normal(State *state) {                                                  \
    return __heddle_random::normal_of((unsigned)(curand(state) >> upper));                         \
  }                                                                                                \
  __HEDDLE_FN double curand_normal_double(State *state) {                                          \
    return __heddle_random::normal_double_of(curand(state));                                       \
  }                                                                                                \
  __HEDDLE_FN float curand_log_normal(State *state, float mean, float stddev) {                    \
    return expf(mean + stddev * curand_normal(state));                                             \
  }                                                                                                \
  __HEDDLE_FN double curand_log_normal_double(State *state, double mean, double stddev) {          \
    return exp(mean + stddev * curand_normal_double(state));                                       \
  }
__HEDDLE_SOBOL(curandStateSobol32, unsigned, 0,
               bits * 2.3283064365386963e-10 + 1.1641532182693481e-10)
__HEDDLE_SOBOL(curandStateScrambledSobol32, unsigned, 0,
               bits * 2.3283064365386963e-10 + 1.1641532182693481e-10)
__HEDDLE_SOBOL(curandStateSobol64, unsigned long long, 32,
               (bits >> 11) * __heddle_random::two_to_the_minus_53 +
                   __heddle_random::two_to_the_minus_53 / 2)
__HEDDLE_SOBOL(curandStateScrambledSobol64, unsigned long long, 32,
               (bits >> 11) * __heddle_random::two_to_the_minus_53 +
                   __heddle_random::two_to_the_minus_53 / 2)
#undef __HEDDLE_SOBOL
