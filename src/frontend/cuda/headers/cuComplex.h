// Complex numbers as CUDA's C functions have them.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

__HEDDLE_BOTH cuComplex make_cuComplex(float x, float y) { return {x, y}; }

// `f` ends the names of the float ones, whose class is float2.
#define __HEDDLE_CU_COMPLEX(C, T, name, f)                                                         \
  __HEDDLE_BOTH C make_cu##name##Complex(T x, T y) { return {x, y}; }                              \
  __HEDDLE_BOTH T cuCreal##f(C z) { return z.x; }                                                  \
  __HEDDLE_BOTH T cuCimag##f(C z) { return z.y; }                                                  \
  __HEDDLE_BOTH C cuConj##f(C z) { return {z.x, -z.y}; }                                           \
  __HEDDLE_BOTH C cuCadd##f(C x, C y) { return {x.x + y.x, x.y + y.y}; }                           \
  __HEDDLE_BOTH C cuCsub##f(C x, C y) { return {x.x - y.x, x.y - y.y}; }                           \
  __HEDDLE_BOTH C cuCmul##f(C x, C y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; }   \
  __HEDDLE_FN C cuCdiv##f(C x, C y) {                                                              \
    /* Scaled, so that no square overflows. */                                                     \
    T s = (T)1 / (__heddle_fabs(y.x) + __heddle_fabs(y.y));                                        \
    C a{x.x * s, x.y * s}, b{y.x * s, y.y * s};                                                    \
    T n = (T)1 / (b.x * b.x + b.y * b.y);                                                          \
    return {(a.x * b.x + a.y * b.y) * n, (a.y * b.x - a.x * b.y) * n};                             \
  }                                                                                                \
  __HEDDLE_FN T cuCabs##f(C z) { return __heddle_hypot(z.x, z.y); }                                \
  __HEDDLE_BOTH C cuCfma##f(C x, C y, C z) { return cuCadd##f(cuCmul##f(x, y), z); }
__HEDDLE_CU_COMPLEX(cuFloatComplex, float, Float, f)
__HEDDLE_CU_COMPLEX(cuDoubleComplex, double, Double, )
#undef __HEDDLE_CU_COMPLEX

__HEDDLE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
__HEDDLE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {(float)z.x, (float)z.y};
}
