// Uniform, normal and log-normal numbers from the output of the generators.
#pragma once

namespace __heddle_random {

constexpr float two_to_the_minus_32 = 2.3283064e-10f;
constexpr double two_to_the_minus_53 = 1.1102230246251565e-16;
constexpr float pi2 = 6.2831855f;
constexpr double mrg_scale = 2.3283065498378288e-10; // 1 / (m1 + 1)

// A uniform number in (0, 1].
__HEDDLE_FN float unit(unsigned bits) {
  return bits * two_to_the_minus_32 + two_to_the_minus_32 / 2;
}
__HEDDLE_FN double unit(unsigned low, unsigned high) {
  unsigned long long bits = low ^ (unsigned long long)high << (53 - 32);
  return bits * two_to_the_minus_53 + two_to_the_minus_53 / 2;
}

// Computes two normal numbers from two uniform ones (G. Box, M. Muller, 1958). The angle of floats is in radians, that
// of doubles in half turns. Angles of floats are below 2 pi, where the fast functions suffice; cuRAND uses them, too.
__HEDDLE_FN float2 normals(float radius, float angle) {
  float s = sqrtf(-2.0f * logf(radius)), sine, cosine;
  __sincosf(angle, &sine, &cosine);
  return {sine * s, cosine * s};
}
__HEDDLE_FN double2 normals(double radius, double turns) {
  double s = sqrt(-2.0 * log(radius)), sine, cosine;
  sincospi(turns, &sine, &cosine);
  return {sine * s, cosine * s};
}

template <class State> __HEDDLE_FN float2 normal_pair(State *state) {
  unsigned x = curand(state), y = curand(state);
  return normals(unit(x), y * (two_to_the_minus_32 * pi2) + two_to_the_minus_32 * pi2 / 2);
}
template <class State> __HEDDLE_FN double2 normal_pair_double(State *state) {
  unsigned x[4];
  for (unsigned &word : x)
    word = curand(state);
  return normals(unit(x[0], x[1]), unit(x[2], x[3]) * 2);
}
__HEDDLE_FN float2 normal_pair(curandStateMRG32k3a *state) {
  float x = (float)(curand_MRG32k3a(state) * mrg_scale);
  float y = (float)(curand_MRG32k3a(state) * mrg_scale);
  return normals(x, y * pi2);
}
__HEDDLE_FN double2 normal_pair_double(curandStateMRG32k3a *state) {
  double x = curand_MRG32k3a(state) * mrg_scale, y = curand_MRG32k3a(state) * mrg_scale;
  return normals(x, y * 2);
}

// The second number of a pair is kept for the next call for the same distribution.
enum { normal_left = 1, log_normal_left = 2 };
template <class _T, class Pair>
__HEDDLE_FN _T one_of_two(int &flag, _T &extra, int kind, const Pair &pair) {
  if (flag == kind) {
    flag = 0;
    return extra;
  }
  auto both = pair();
  extra = both.y;
  flag = kind;
  return both.x;
}

// Poisson-distributed numbers. Small means count events (D. Knuth, TAOCP 2, 3.4.1), medium means use transformed
// rejection (PTRS, W. Hormann, 1993), and large means a normal approximation.
template <class State> __HEDDLE_FN unsigned poisson(State *state, double mean) {
  if (mean < 64) {
    unsigned events = 0;
    for (float left = expf((float)mean) * curand_uniform(state); left > 1; ++events)
      left *= curand_uniform(state);
    return events;
  }
  if (mean > 4000)
    return (unsigned)(sqrt(mean) * curand_normal_double(state) + mean + 0.5);
  double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
  while (true) {
    double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
    double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
      return (unsigned)k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (log(v) + log(1.1239 + 1.1328 / (b - 3.4)) - log(a / (us * us) + b) <=
        k * log(mean) - mean - lgamma(k + 1))
      return (unsigned)k;
  }
}
} // namespace __heddle_random

__HEDDLE_FN float curand_uniform(curandStateXORWOW *state) {
  return __heddle_random::unit(curand(state));
}
__HEDDLE_FN double curand_uniform_double(curandStateXORWOW *state) {
  unsigned low = curand(state), high = curand(state);
  return __heddle_random::unit(low, high);
}
__HEDDLE_FN float curand_uniform(curandStatePhilox4_32_10 *state) {
  return __heddle_random::unit(curand(state));
}
__HEDDLE_FN double curand_uniform_double(curandStatePhilox4_32_10 *state) {
  constexpr double scale = 2.3283064365386963e-10; // 2^-32
  return curand(state) * scale + scale;
}
__HEDDLE_FN float curand_uniform(curandStateMRG32k3a *state) {
  return (float)(curand_MRG32k3a(state) * __heddle_random::mrg_scale);
}
__HEDDLE_FN double curand_uniform_double(curandStateMRG32k3a *state) {
  return curand_MRG32k3a(state) * __heddle_random::mrg_scale;
}

#define __HEDDLE_DISTRIBUTIONS(State)                                                              \
  __HEDDLE_FN float2 curand_normal2(State *state) { return __heddle_random::normal_pair(state); }  \
  __HEDDLE_FN double2 curand_normal2_double(State *state) {                                        \
    return __heddle_random::normal_pair_double(state);                                             \
  }                                                                                                \
  __HEDDLE_FN float2 curand_log_normal2(State *state, float mean, float stddev) {                  \
    float2 v = curand_normal2(state);                                                              \
    return {expf(mean + stddev * v.x), expf(mean + stddev * v.y)};                                 \
  }                                                                                                \
  __HEDDLE_FN double2 curand_log_normal2_double(State *state, double mean, double stddev) {        \
    double2 v = curand_normal2_double(state);                                                      \
    return {exp(mean + stddev * v.x), exp(mean + stddev * v.y)};                                   \
  }                                                                                                \
  __HEDDLE_FN float curand_normal(State *state) {                                                  \
    return __heddle_random::one_of_two(state->boxmuller_flag, state->boxmuller_extra,              \
                                       __heddle_random::normal_left,                               \
                                       [&] { return curand_normal2(state); });                     \
  }                                                                                                \
  __HEDDLE_FN double curand_normal_double(State *state) {                                          \
    return __heddle_random::one_of_two(                                                            \
        state->boxmuller_flag_double, state->boxmuller_extra_double, __heddle_random::normal_left, \
        [&] { return curand_normal2_double(state); });                                             \
  }                                                                                                \
  __HEDDLE_FN float curand_log_normal(State *state, float mean, float stddev) {                    \
    return __heddle_random::one_of_two(state->boxmuller_flag, state->boxmuller_extra,              \
                                       __heddle_random::log_normal_left,                           \
                                       [&] { return curand_log_normal2(state, mean, stddev); });   \
  }                                                                                                \
  __HEDDLE_FN double curand_log_normal_double(State *state, double mean, double stddev) {          \
    return __heddle_random::one_of_two(                                                            \
        state->boxmuller_flag_double, state->boxmuller_extra_double,                               \
        __heddle_random::log_normal_left,                                                          \
        [&] { return curand_log_normal2_double(state, mean, stddev); });                           \
  }                                                                                                \
  __HEDDLE_FN unsigned curand_poisson(State *state, double lambda) {                               \
    return __heddle_random::poisson(state, lambda);                                                \
  }
__HEDDLE_DISTRIBUTIONS(curandStateXORWOW)
__HEDDLE_DISTRIBUTIONS(curandStatePhilox4_32_10)
__HEDDLE_DISTRIBUTIONS(curandStateMRG32k3a)
#undef __HEDDLE_DISTRIBUTIONS

// Four numbers at once from one output of Philox.
__HEDDLE_FN float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  using __heddle_random::unit;
  uint4 x = curand4(state);
  return {unit(x.x), unit(x.y), unit(x.z), unit(x.w)};
}
__HEDDLE_FN double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  using __heddle_random::unit;
  uint4 x = curand4(state);
  return {unit(x.x, x.y), unit(x.z, x.w)};
}
__HEDDLE_FN double4 curand_uniform4_double(curandStatePhilox4_32_10 *state) {
  double2 x = curand_uniform2_double(state), y = curand_uniform2_double(state);
  return {x.x, x.y, y.x, y.y};
}
__HEDDLE_FN float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  float2 x = curand_normal2(state), y = curand_normal2(state);
  return {x.x, x.y, y.x, y.y};
}
__HEDDLE_FN double4 curand_normal4_double(curandStatePhilox4_32_10 *state) {
  double2 x = curand_normal2_double(state), y = curand_normal2_double(state);
  return {x.x, x.y, y.x, y.y};
}
__HEDDLE_FN uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda) {
  return {curand_poisson(state, lambda), curand_poisson(state, lambda),
          curand_poisson(state, lambda), curand_poisson(state, lambda)};
}
__HEDDLE_FN float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float stddev) {
  float4 v = curand_normal4(state);
  return {expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
          expf(mean + stddev * v.w)};
}
__HEDDLE_FN double4 curand_log_normal4_double(curandStatePhilox4_32_10 *state, double mean,
                                              double stddev) {
  double4 v = curand_normal4_double(state);
  return {exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z),
          exp(mean + stddev * v.w)};
}
