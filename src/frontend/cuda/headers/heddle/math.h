// Math functions: CUDA's names for float32 and float64, and the C++ overloads.
#pragma once

// Declares a SIMT operation for float and double: `name` with the suffix f, and C++ overloads of `name`.
#define __HEDDLE_MATH_1(name, operation)                                                           \
  __HEDDLE_OP(float, __heddle_##name, operation ".f32", float)                                     \
  __HEDDLE_OP(double, __heddle_##name, operation ".f64", double)                                   \
  __HEDDLE_BOTH_FN float name##f(float x) { return __heddle_##name(x); }                           \
  __HEDDLE_BOTH_FN float name(float x) { return __heddle_##name(x); }                              \
  __HEDDLE_BOTH_FN double name(double x) { return __heddle_##name(x); }                            \
  template <class T, class = __heddle_integral<T>> __HEDDLE_BOTH_FN double name(T x) {             \
    return __heddle_##name((double)x);                                                             \
  }
#define __HEDDLE_MATH_2(name, operation)                                                           \
  __HEDDLE_OP(float, __heddle_##name, operation ".f32", float, float)                              \
  __HEDDLE_OP(double, __heddle_##name, operation ".f64", double, double)                           \
  __HEDDLE_BOTH_FN float name##f(float x, float y) { return __heddle_##name(x, y); }               \
  __HEDDLE_OVERLOADS_2(name, __heddle_##name)
// C++ overloads of a binary function: float if both operands are float, otherwise double.
#define __HEDDLE_OVERLOADS_2(name, function)                                                       \
  __HEDDLE_BOTH_FN float name(float x, float y) { return function(x, y); }                         \
  __HEDDLE_BOTH_FN double name(double x, double y) { return function(x, y); }                      \
  template <class T, class U, class = __heddle_mixed<T, U>>                                        \
  __HEDDLE_BOTH_FN double name(T x, U y) {                                                         \
    return function((double)x, (double)y);                                                         \
  }

template <bool> struct __heddle_if {};
template <> struct __heddle_if<true> {
  typedef int type;
};
template <class T, class U> inline constexpr bool __heddle_same = false;
template <class T> inline constexpr bool __heddle_same<T, T> = true;
template <class T> using __heddle_integral = typename __heddle_if<__is_integral(T)>::type;
template <class T, class U>
using __heddle_mixed = typename __heddle_if<__is_arithmetic(T) && __is_arithmetic(U) &&
                                            !(__heddle_same<T, U> && __is_floating_point(T))>::type;

__HEDDLE_MATH_1(sin, "simt.math.sin")
__HEDDLE_MATH_1(cos, "simt.math.cos")
__HEDDLE_MATH_1(tan, "simt.math.tan")
__HEDDLE_MATH_1(asin, "simt.math.asin")
__HEDDLE_MATH_1(acos, "simt.math.acos")
__HEDDLE_MATH_1(atan, "simt.math.atan")
__HEDDLE_MATH_1(sinh, "simt.math.sinh")
__HEDDLE_MATH_1(cosh, "simt.math.cosh")
__HEDDLE_MATH_1(tanh, "simt.math.tanh")
__HEDDLE_MATH_1(asinh, "simt.math.asinh")
__HEDDLE_MATH_1(acosh, "simt.math.acosh")
__HEDDLE_MATH_1(atanh, "simt.math.atanh")
__HEDDLE_MATH_1(exp, "simt.math.exp")
__HEDDLE_MATH_1(exp2, "simt.math.exp2")
__HEDDLE_MATH_1(expm1, "simt.math.expm1")
__HEDDLE_MATH_1(log, "simt.math.log")
__HEDDLE_MATH_1(log2, "simt.math.log2")
__HEDDLE_MATH_1(log10, "simt.math.log10")
__HEDDLE_MATH_1(log1p, "simt.math.log1p")
__HEDDLE_MATH_1(erf, "simt.math.erf")
__HEDDLE_MATH_1(erfc, "simt.math.erfc")
__HEDDLE_MATH_1(cbrt, "simt.math.cbrt")
__HEDDLE_MATH_1(exp10, "simt.math.exp10")
__HEDDLE_MATH_1(sinpi, "simt.math.sinpi")
__HEDDLE_MATH_1(cospi, "simt.math.cospi")
__HEDDLE_MATH_1(rsqrt, "simt.math.rsqrt")
__HEDDLE_MATH_1(rcbrt, "simt.math.rcbrt")
__HEDDLE_MATH_1(erfinv, "simt.math.erfinv")
__HEDDLE_MATH_1(erfcinv, "simt.math.erfcinv")
__HEDDLE_MATH_1(erfcx, "simt.math.erfcx")
__HEDDLE_MATH_1(normcdf, "simt.math.normcdf")
__HEDDLE_MATH_1(normcdfinv, "simt.math.normcdfinv")
__HEDDLE_MATH_1(j0, "simt.math.j0")
__HEDDLE_MATH_1(j1, "simt.math.j1")
__HEDDLE_MATH_1(y0, "simt.math.y0")
__HEDDLE_MATH_1(y1, "simt.math.y1")
__HEDDLE_MATH_1(sqrt, "llvm.sqrt")
__HEDDLE_MATH_1(fabs, "llvm.fabs")
__HEDDLE_MATH_1(floor, "llvm.floor")
__HEDDLE_MATH_1(ceil, "llvm.ceil")
__HEDDLE_MATH_1(trunc, "llvm.trunc")
__HEDDLE_MATH_1(rint, "llvm.rint")
__HEDDLE_MATH_1(nearbyint, "llvm.nearbyint")
__HEDDLE_MATH_1(round, "llvm.round")
__HEDDLE_MATH_1(tgamma, "simt.math.gamma")
__HEDDLE_MATH_1(lgamma, "simt.math.lgamma")
__HEDDLE_MATH_2(pow, "simt.math.pow")
__HEDDLE_MATH_2(atan2, "simt.math.atan2")
__HEDDLE_MATH_2(hypot, "simt.math.hypot")
__HEDDLE_MATH_2(fmod, "simt.math.fmod")
__HEDDLE_MATH_2(remainder, "simt.math.remainder")
__HEDDLE_MATH_2(nextafter, "simt.math.nextafter")
__HEDDLE_MATH_2(copysign, "llvm.copysign")
__HEDDLE_MATH_2(fmin, "llvm.minnum")
__HEDDLE_MATH_2(fmax, "llvm.maxnum")

__HEDDLE_OP(float, __heddle_fma, "llvm.fma.f32", float, float, float)
__HEDDLE_OP(double, __heddle_fma, "llvm.fma.f64", double, double, double)
__HEDDLE_OP(float, __heddle_ldexp, "simt.math.ldexp.f32", float, int)
__HEDDLE_OP(double, __heddle_ldexp, "simt.math.ldexp.f64", double, int)
__HEDDLE_OP(float, __heddle_frexp, "simt.math.frexp.fraction.f32", float)
__HEDDLE_OP(double, __heddle_frexp, "simt.math.frexp.fraction.f64", double)
__HEDDLE_OP(int, __heddle_frexp_exponent, "simt.math.frexp.exponent.f32", float)
__HEDDLE_OP(int, __heddle_frexp_exponent, "simt.math.frexp.exponent.f64", double)
__HEDDLE_OP(int, __heddle_remquo, "simt.math.remquo.quotient.f32", float, float)
__HEDDLE_OP(int, __heddle_remquo, "simt.math.remquo.quotient.f64", double, double)
__HEDDLE_OP(float, __heddle_jn, "simt.math.jn.f32", int, float)
__HEDDLE_OP(double, __heddle_jn, "simt.math.jn.f64", int, double)
__HEDDLE_OP(float, __heddle_yn, "simt.math.yn.f32", int, float)
__HEDDLE_OP(double, __heddle_yn, "simt.math.yn.f64", int, double)

__HEDDLE_BOTH_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__HEDDLE_BOTH_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__HEDDLE_BOTH_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__HEDDLE_BOTH_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__HEDDLE_BOTH_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__HEDDLE_BOTH_FN long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
__HEDDLE_BOTH_FN int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__HEDDLE_BOTH_FN int __double2loint(double x) { return (int)__double_as_longlong(x); }
__HEDDLE_BOTH_FN double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)hi << 32 | (unsigned)lo);
}

// Functions for both types, composed of operations. `s` is the C suffix of the type.
#define __HEDDLE_MATH(T, s, I, mantissa, bias, width)                                              \
  __HEDDLE_BOTH_FN T fma##s(T x, T y, T z) { return __heddle_fma(x, y, z); }                       \
  __HEDDLE_BOTH_FN T fdim##s(T x, T y) { return x > y ? x - y : x <= y ? (T)0 : x + y; }           \
  __HEDDLE_BOTH_FN T ldexp##s(T x, int n) { return __heddle_ldexp(x, n); }                         \
  __HEDDLE_BOTH_FN T scalbn##s(T x, int n) { return __heddle_ldexp(x, n); }                        \
  __HEDDLE_BOTH_FN T scalbln##s(T x, long n) {                                                     \
    return __heddle_ldexp(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n);                \
  }                                                                                                \
  __HEDDLE_BOTH_FN T frexp##s(T x, int *exponent) {                                                \
    *exponent = __heddle_frexp_exponent(x);                                                        \
    return __heddle_frexp(x);                                                                      \
  }                                                                                                \
  __HEDDLE_BOTH_FN T modf##s(T x, T *whole) {                                                      \
    T w = *whole = __heddle_trunc(x);                                                              \
    return __heddle_copysign(__builtin_isinf(x) ? (T)0 : x - w, x);                                \
  }                                                                                                \
  __HEDDLE_BOTH_FN T remquo##s(T x, T y, int *quotient) {                                          \
    *quotient = __heddle_remquo(x, y);                                                             \
    return __heddle_remainder(x, y);                                                               \
  }                                                                                                \
  __HEDDLE_BOTH_FN void sincos##s(T x, T *sine, T *cosine) {                                       \
    *sine = __heddle_sin(x);                                                                       \
    *cosine = __heddle_cos(x);                                                                     \
  }                                                                                                \
  __HEDDLE_BOTH_FN void sincospi##s(T x, T *sine, T *cosine) {                                     \
    *sine = __heddle_sinpi(x);                                                                     \
    *cosine = __heddle_cospi(x);                                                                   \
  }                                                                                                \
  __HEDDLE_BOTH_FN T jn##s(int n, T x) { return __heddle_jn(n, x); }                               \
  __HEDDLE_BOTH_FN T yn##s(int n, T x) { return __heddle_yn(n, x); }                               \
  __HEDDLE_BOTH_FN T norm3d##s(T x, T y, T z) { return __heddle_hypot(__heddle_hypot(x, y), z); }  \
  __HEDDLE_BOTH_FN T norm4d##s(T x, T y, T z, T w) {                                               \
    return __heddle_hypot(__heddle_hypot(x, y), __heddle_hypot(z, w));                             \
  }                                                                                                \
  __HEDDLE_BOTH_FN int ilogb##s(T x) {                                                             \
    return __builtin_isnan(x) || x == 0 ? -2147483647 - 1                                          \
           : __builtin_isinf(x)         ? 2147483647                                               \
                                        : __heddle_frexp_exponent(x) - 1;                          \
  }                                                                                                \
  __HEDDLE_BOTH_FN T logb##s(T x) {                                                                \
    return __builtin_isnan(x)   ? x                                                                \
           : __builtin_isinf(x) ? x * x                                                            \
           : x == 0             ? (T) - __builtin_inf()                                            \
                                : (T)(__heddle_frexp_exponent(x) - 1);                             \
  }                                                                                                \
  __HEDDLE_BOTH_FN long lrint##s(T x) { return (long)__heddle_rint(x); }                           \
  __HEDDLE_BOTH_FN long long llrint##s(T x) { return (long long)__heddle_rint(x); }                \
  __HEDDLE_BOTH_FN long lround##s(T x) { return (long)__heddle_round(x); }                         \
  __HEDDLE_BOTH_FN long long llround##s(T x) { return (long long)__heddle_round(x); }              \
  __HEDDLE_BOTH_FN bool isnan(T x) { return __builtin_isnan(x); }                                  \
  __HEDDLE_BOTH_FN bool isinf(T x) { return __builtin_isinf(x); }                                  \
  __HEDDLE_BOTH_FN bool isfinite(T x) { return __builtin_isfinite(x); }                            \
  __HEDDLE_BOTH_FN bool isnormal(T x) { return __builtin_isnormal(x); }                            \
  __HEDDLE_BOTH_FN bool signbit(T x) { return __builtin_signbit(x); }                              \
  __HEDDLE_BOTH_FN T nan##s(const char *) { return (T)__builtin_nan(""); }
__HEDDLE_MATH(float, f, int, 23, 127, 32)
__HEDDLE_MATH(double, , long, 52, 1023, 64)
#undef __HEDDLE_MATH

__HEDDLE_BOTH_FN float fma(float x, float y, float z) { return __heddle_fma(x, y, z); }
__HEDDLE_BOTH_FN float ldexp(float x, int n) { return __heddle_ldexp(x, n); }
__HEDDLE_BOTH_FN float scalbn(float x, int n) { return __heddle_ldexp(x, n); }
__HEDDLE_BOTH_FN float frexp(float x, int *exponent) { return frexpf(x, exponent); }
__HEDDLE_BOTH_FN float modf(float x, float *whole) { return modff(x, whole); }
__HEDDLE_BOTH_FN float fdim(float x, float y) { return fdimf(x, y); }
__HEDDLE_BOTH_FN long lrint(float x) { return lrintf(x); }
__HEDDLE_BOTH_FN long long llrint(float x) { return llrintf(x); }
__HEDDLE_BOTH_FN long lround(float x) { return lroundf(x); }
__HEDDLE_BOTH_FN long long llround(float x) { return llroundf(x); }
__HEDDLE_BOTH_FN float logb(float x) { return logbf(x); }
__HEDDLE_BOTH_FN int ilogb(float x) { return ilogbf(x); }
__HEDDLE_YIELDING_BOTH_FN float gamma(float x) { return lgammaf(x); }
__HEDDLE_BOTH_FN void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
__HEDDLE_BOTH_FN void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
__HEDDLE_BOTH_FN int __isnanf(float x) { return __builtin_isnan(x); }
__HEDDLE_BOTH_FN int __isnan(double x) { return __builtin_isnan(x); }
__HEDDLE_BOTH_FN int __isinff(float x) { return __builtin_isinf(x); }
__HEDDLE_BOTH_FN int __isinf(double x) { return __builtin_isinf(x); }
__HEDDLE_BOTH_FN int __finitef(float x) { return __builtin_isfinite(x); }
__HEDDLE_BOTH_FN int __finite(double x) { return __builtin_isfinite(x); }
__HEDDLE_BOTH_FN int __signbitf(float x) { return __builtin_signbit(x); }
__HEDDLE_BOTH_FN int __signbit(double x) { return __builtin_signbit(x); }
__HEDDLE_BOTH_FN float powf(float x, int n) { return __heddle_pow(x, (float)n); }
__HEDDLE_BOTH_FN float fdividef(float x, float y) { return x / y; }

__HEDDLE_BOTH_FN int abs(int x) { return x < 0 ? 0 - (unsigned)x : x; }
__HEDDLE_BOTH_FN long abs(long x) { return x < 0 ? 0 - (unsigned long)x : x; }
__HEDDLE_BOTH_FN long long abs(long long x) { return x < 0 ? 0 - (unsigned long)x : x; }
__HEDDLE_BOTH_FN float abs(float x) { return __heddle_fabs(x); }
__HEDDLE_BOTH_FN double abs(double x) { return __heddle_fabs(x); }
__HEDDLE_BOTH_FN long labs(long x) { return abs(x); }
__HEDDLE_BOTH_FN long long llabs(long long x) { return abs(x); }

// CUDA's min and max. Integers follow C++ conversions; for floats, a NaN operand is ignored. Constant expressions call
// them as std::min and std::max.
#define __HEDDLE_CONSTEXPR_FN constexpr __HEDDLE_BOTH_FN
#define __HEDDLE_MIN_MAX(T)                                                                        \
  __HEDDLE_CONSTEXPR_FN T min(T x, T y) { return y < x ? y : x; }                                  \
  __HEDDLE_CONSTEXPR_FN T max(T x, T y) { return x < y ? y : x; }
__HEDDLE_MIN_MAX(int)
__HEDDLE_MIN_MAX(unsigned)
__HEDDLE_MIN_MAX(long)
__HEDDLE_MIN_MAX(unsigned long)
__HEDDLE_MIN_MAX(long long)
__HEDDLE_MIN_MAX(unsigned long long)
#undef __HEDDLE_MIN_MAX
#define __HEDDLE_MIXED(T, U, R)                                                                    \
  __HEDDLE_CONSTEXPR_FN R min(T x, U y) { return min((R)x, (R)y); }                                \
  __HEDDLE_CONSTEXPR_FN R max(T x, U y) { return max((R)x, (R)y); }                                \
  __HEDDLE_CONSTEXPR_FN R min(U x, T y) { return min((R)x, (R)y); }                                \
  __HEDDLE_CONSTEXPR_FN R max(U x, T y) { return max((R)x, (R)y); }
#define __HEDDLE_MIN_MAX(T)                                                                        \
  __HEDDLE_CONSTEXPR_FN T min(T x, T y) {                                                          \
    return __builtin_is_constant_evaluated() ? (y < x ? y : x) : __heddle_fmin(x, y);              \
  }                                                                                                \
  __HEDDLE_CONSTEXPR_FN T max(T x, T y) {                                                          \
    return __builtin_is_constant_evaluated() ? (x < y ? y : x) : __heddle_fmax(x, y);              \
  }
__HEDDLE_MIN_MAX(float)
__HEDDLE_MIN_MAX(double)
#undef __HEDDLE_MIN_MAX
__HEDDLE_MIXED(int, unsigned, unsigned)
__HEDDLE_MIXED(long, unsigned long, unsigned long)
__HEDDLE_MIXED(long long, unsigned long long, unsigned long long)
__HEDDLE_MIXED(float, double, double)
#undef __HEDDLE_MIXED
#undef __HEDDLE_CONSTEXPR_FN

// Euclidean norms of vectors in memory.
__HEDDLE_BOTH_FN float normf(int n, const float *v) {
  float length = 0;
  for (int i = 0; i < n; ++i)
    length = __heddle_hypot(length, v[i]);
  return length;
}
__HEDDLE_BOTH_FN double norm(int n, const double *v) {
  double length = 0;
  for (int i = 0; i < n; ++i)
    length = __heddle_hypot(length, v[i]);
  return length;
}
__HEDDLE_BOTH_FN float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
__HEDDLE_BOTH_FN double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }

__HEDDLE_BOTH_FN unsigned umin(unsigned x, unsigned y) { return min(x, y); }
__HEDDLE_BOTH_FN unsigned umax(unsigned x, unsigned y) { return max(x, y); }
__HEDDLE_BOTH_FN long long llmin(long long x, long long y) { return min(x, y); }
__HEDDLE_BOTH_FN long long llmax(long long x, long long y) { return max(x, y); }
__HEDDLE_BOTH_FN unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return min(x, y);
}
__HEDDLE_BOTH_FN unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return max(x, y);
}

__HEDDLE_BOTH_FN float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
__HEDDLE_YIELDING_BOTH_FN float saturate(float x) { return __saturatef(x); }

// Arithmetic in the rounding mode of the name's suffix. Round-to-nearest variants are not contracted to FMAs.
#define __HEDDLE_ROUNDINGS(T, p, suffix)                                                           \
  __HEDDLE_ROUNDING_2(T, p##add, "add", suffix)                                                    \
  __HEDDLE_ROUNDING_2(T, p##mul, "mul", suffix)                                                    \
  __HEDDLE_ROUNDING_2(T, p##div, "div", suffix)                                                    \
  __HEDDLE_ROUNDING_1(T, p##sqrt, "sqrt", suffix)                                                  \
  __HEDDLE_ROUNDING_3(T, p, "fma", suffix)                                                         \
  __HEDDLE_OP(T, __heddle_exact_##p##add, "__heddle_exact_add_" suffix, T, T)                      \
  __HEDDLE_OP(T, __heddle_exact_##p##mul, "__heddle_exact_mul_" suffix, T, T)
#define __HEDDLE_ROUNDING_1(T, name, op, suffix)                                                   \
  __HEDDLE_OP(T, __##name##_rd, "simt.math." op ".rd." suffix, T)                                  \
  __HEDDLE_OP(T, __##name##_ru, "simt.math." op ".ru." suffix, T)                                  \
  __HEDDLE_OP(T, __##name##_rz, "simt.math." op ".rz." suffix, T)
#define __HEDDLE_ROUNDING_2(T, name, op, suffix)                                                   \
  __HEDDLE_OP(T, __##name##_rd, "simt.math." op ".rd." suffix, T, T)                               \
  __HEDDLE_OP(T, __##name##_ru, "simt.math." op ".ru." suffix, T, T)                               \
  __HEDDLE_OP(T, __##name##_rz, "simt.math." op ".rz." suffix, T, T)
#define __HEDDLE_ROUNDING_3(T, p, op, suffix)                                                      \
  __HEDDLE_OP(T, __heddle_fma_rd, "simt.math." op ".rd." suffix, T, T, T)                          \
  __HEDDLE_OP(T, __heddle_fma_ru, "simt.math." op ".ru." suffix, T, T, T)                          \
  __HEDDLE_OP(T, __heddle_fma_rz, "simt.math." op ".rz." suffix, T, T, T)
__HEDDLE_ROUNDINGS(float, f, "f32")
__HEDDLE_ROUNDINGS(double, d, "f64")
__HEDDLE_BOTH_FN float __fmaf_rd(float x, float y, float z) { return __heddle_fma_rd(x, y, z); }
__HEDDLE_BOTH_FN float __fmaf_ru(float x, float y, float z) { return __heddle_fma_ru(x, y, z); }
__HEDDLE_BOTH_FN float __fmaf_rz(float x, float y, float z) { return __heddle_fma_rz(x, y, z); }
__HEDDLE_BOTH_FN float __fmaf_rn(float x, float y, float z) { return __heddle_fma(x, y, z); }
__HEDDLE_BOTH_FN double __fma_rd(double x, double y, double z) { return __heddle_fma_rd(x, y, z); }
__HEDDLE_BOTH_FN double __fma_ru(double x, double y, double z) { return __heddle_fma_ru(x, y, z); }
__HEDDLE_BOTH_FN double __fma_rz(double x, double y, double z) { return __heddle_fma_rz(x, y, z); }
__HEDDLE_BOTH_FN double __fma_rn(double x, double y, double z) { return __heddle_fma(x, y, z); }
__HEDDLE_BOTH_FN float __fadd_rn(float x, float y) { return __heddle_exact_fadd(x, y); }
__HEDDLE_BOTH_FN float __fsub_rn(float x, float y) { return __heddle_exact_fadd(x, -y); }
__HEDDLE_BOTH_FN float __fmul_rn(float x, float y) { return __heddle_exact_fmul(x, y); }
__HEDDLE_BOTH_FN float __fdiv_rn(float x, float y) { return x / y; }
__HEDDLE_BOTH_FN float __fsqrt_rn(float x) { return __heddle_sqrt(x); }
__HEDDLE_BOTH_FN float __frcp_rn(float x) { return 1.0f / x; }
__HEDDLE_BOTH_FN float __frsqrt_rn(float x) { return (float)(1.0 / __heddle_sqrt((double)x)); }
__HEDDLE_BOTH_FN double __dadd_rn(double x, double y) { return __heddle_exact_dadd(x, y); }
__HEDDLE_BOTH_FN double __dsub_rn(double x, double y) { return __heddle_exact_dadd(x, -y); }
__HEDDLE_BOTH_FN double __dmul_rn(double x, double y) { return __heddle_exact_dmul(x, y); }
__HEDDLE_BOTH_FN double __ddiv_rn(double x, double y) { return x / y; }
__HEDDLE_BOTH_FN double __dsqrt_rn(double x) { return __heddle_sqrt(x); }
// Pairs of floats.
#define __HEDDLE_PAIRS(rounding)                                                                   \
  __HEDDLE_BOTH_FN float2 __fadd2_##rounding(float2 x, float2 y) {                                 \
    return {__fadd_##rounding(x.x, y.x), __fadd_##rounding(x.y, y.y)};                             \
  }                                                                                                \
  __HEDDLE_BOTH_FN float2 __fmul2_##rounding(float2 x, float2 y) {                                 \
    return {__fmul_##rounding(x.x, y.x), __fmul_##rounding(x.y, y.y)};                             \
  }                                                                                                \
  __HEDDLE_BOTH_FN float2 __ffma2_##rounding(float2 x, float2 y, float2 z) {                       \
    return {__fmaf_##rounding(x.x, y.x, z.x), __fmaf_##rounding(x.y, y.y, z.y)};                   \
  }
__HEDDLE_PAIRS(rn)
__HEDDLE_PAIRS(rd)
__HEDDLE_PAIRS(ru)
__HEDDLE_PAIRS(rz)
#undef __HEDDLE_PAIRS
#define __HEDDLE_RECIPROCAL_NORMS(T, s, p)                                                         \
  /* Adds the square of v to sum + rest: `sum` is rounded, `rest` has what it lacks. */            \
  __HEDDLE_BOTH_FN void __heddle_add_square##s(T v, T *sum, T *rest) {                             \
    T square = __heddle_exact_##p##mul(v, v), next = __heddle_exact_##p##add(*sum, square);        \
    T added = __heddle_exact_##p##add(next, -*sum);                                                \
    T kept = __heddle_exact_##p##add(next, -added);                                                \
    *rest += __heddle_exact_##p##add(*sum, -kept) + __heddle_exact_##p##add(square, -added) +      \
             __heddle_fma(v, v, -square);                                                          \
    *sum = next;                                                                                   \
  }                                                                                                \
  /* 1 / the norm, correctly rounded but for about a hundredth of a unit in the last place. */     \
  __HEDDLE_BOTH_FN T rnorm4d##s(T x, T y, T z, T w) {                                              \
    T most = __heddle_fmax(__heddle_fmax(__heddle_fabs(x), __heddle_fabs(y)),                      \
                           __heddle_fmax(__heddle_fabs(z), __heddle_fabs(w)));                     \
    if (!(most > 0) || __builtin_isinf(most) || __builtin_isnan(x + y + z + w))                    \
      return 1 / norm4d##s(x, y, z, w);                                                            \
    int exponent = __heddle_frexp_exponent(most);                                                  \
    T sum = 0, rest = 0;                                                                           \
    __heddle_add_square##s(__heddle_ldexp(x, -exponent), &sum, &rest);                             \
    __heddle_add_square##s(__heddle_ldexp(y, -exponent), &sum, &rest);                             \
    __heddle_add_square##s(__heddle_ldexp(z, -exponent), &sum, &rest);                             \
    __heddle_add_square##s(__heddle_ldexp(w, -exponent), &sum, &rest);                             \
    T root = 1 / __heddle_sqrt(sum), near = __heddle_exact_##p##mul(sum, root);                    \
    T lacks =                                                                                      \
        __heddle_fma(-near, root, (T)1) - (__heddle_fma(sum, root, -near) + rest * root) * root;   \
    return __heddle_ldexp(__heddle_fma(root * (T)0.5, lacks, root), -exponent);                    \
  }                                                                                                \
  __HEDDLE_BOTH_FN T rhypot##s(T x, T y) { return rnorm4d##s(x, y, 0, 0); }                        \
  __HEDDLE_BOTH_FN T rnorm3d##s(T x, T y, T z) { return rnorm4d##s(x, y, z, 0); }
__HEDDLE_RECIPROCAL_NORMS(float, f, f)
__HEDDLE_RECIPROCAL_NORMS(double, , d)
#undef __HEDDLE_RECIPROCAL_NORMS
__HEDDLE_BOTH_FN double __drcp_rn(double x) { return 1.0 / x; }
#define __HEDDLE_DERIVED(r)                                                                        \
  __HEDDLE_BOTH_FN float __fsub_##r(float x, float y) { return __fadd_##r(x, -y); }                \
  __HEDDLE_BOTH_FN double __dsub_##r(double x, double y) { return __dadd_##r(x, -y); }             \
  __HEDDLE_BOTH_FN float __frcp_##r(float x) { return __fdiv_##r(1.0f, x); }                       \
  __HEDDLE_BOTH_FN double __drcp_##r(double x) { return __ddiv_##r(1.0, x); }
__HEDDLE_DERIVED(rd)
__HEDDLE_DERIVED(ru)
__HEDDLE_DERIVED(rz)
#undef __HEDDLE_DERIVED
#undef __HEDDLE_ROUNDINGS
#undef __HEDDLE_ROUNDING_1
#undef __HEDDLE_ROUNDING_2
#undef __HEDDLE_ROUNDING_3

// CUDA's faster, less accurate functions. GPUs approximate them; here they are exact operations.
__HEDDLE_OP(float, __heddle_fast_log10, "__heddle_fast_log10", float)
__HEDDLE_OP(float, __heddle_fast_log2, "__heddle_fast_log2", float)
__HEDDLE_OP(float, __heddle_fast_log, "__heddle_fast_log", float)
__HEDDLE_OP(float, __heddle_fast_exp10, "__heddle_fast_exp10", float)
__HEDDLE_OP(float, __heddle_fast_exp, "__heddle_fast_exp", float)
__HEDDLE_OP(float, __heddle_fast_tan, "__heddle_fast_tan", float)
__HEDDLE_OP(float, __heddle_fast_cos, "__heddle_fast_cos", float)
__HEDDLE_OP(float, __heddle_fast_sin, "__heddle_fast_sin", float)
__HEDDLE_BOTH_FN float __sinf(float x) { return __heddle_fast_sin(x); }
__HEDDLE_BOTH_FN float __cosf(float x) { return __heddle_fast_cos(x); }
__HEDDLE_BOTH_FN float __tanf(float x) { return __heddle_fast_tan(x); }
__HEDDLE_YIELDING_BOTH_FN float __tanhf(float x) { return __heddle_tanh(x); }
__HEDDLE_BOTH_FN float __expf(float x) { return __heddle_fast_exp(x); }
__HEDDLE_BOTH_FN float __exp10f(float x) { return __heddle_fast_exp10(x); }
__HEDDLE_BOTH_FN float __logf(float x) { return __heddle_fast_log(x); }
__HEDDLE_BOTH_FN float __log2f(float x) { return __heddle_fast_log2(x); }
__HEDDLE_BOTH_FN float __log10f(float x) { return __heddle_fast_log10(x); }
__HEDDLE_OP(float, __heddle_fast_pow, "__heddle_fast_pow", float, float)
__HEDDLE_BOTH_FN float __powf(float x, float y) { return __heddle_fast_pow(x, y); }
__HEDDLE_OP(float, __heddle_fast_divide, "__heddle_fast_divide", float, float)
__HEDDLE_BOTH_FN float __fdividef(float x, float y) { return __heddle_fast_divide(x, y); }
__HEDDLE_BOTH_FN void __sincosf(float x, float *sine, float *cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}

#undef __HEDDLE_MATH_1
#undef __HEDDLE_MATH_2
#undef __HEDDLE_OVERLOADS_2

namespace std {
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::acoshf;
using ::asin;
using ::asinf;
using ::asinh;
using ::asinhf;
using ::atan;
using ::atan2;
using ::atanf;
using ::atanh;
using ::atanhf;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::lgamma;
using ::llabs;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logf;
using ::lrint;
using ::lround;
using ::max;
using ::min;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::powf;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::trunc;
using ::truncf;
} // namespace std
