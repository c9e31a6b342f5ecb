// CUDA's C interface for complex numbers.
#pragma once

#ifdef __HEDDLE_TRANSLATE_CUCOMPLEX // as complex<T>, like CuPy's translate_cucomplex
#include "cupy/complex.cuh"
typedef thrust::complex<float> cuFloatComplex;
typedef thrust::complex<double> cuDoubleComplex;
#define __HEDDLE_RE(z) (z).real()
#define __HEDDLE_IM(z) (z).imag()
#else
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
#define __HEDDLE_RE(z) (z).x
#define __HEDDLE_IM(z) (z).y
#endif
typedef cuFloatComplex cuComplex;

__HEDDLE_BOTH cuComplex make_cuComplex(float x, float y) { return {x, y}; }

// `f` is the suffix of the function names: `f` for cuFloatComplex, empty for cuDoubleComplex.
#define __HEDDLE_CU_COMPLEX(C, T, name, f)                                                         \
  __HEDDLE_BOTH C make_cu##name##Complex(T x, T y) { return {x, y}; }                              \
  __HEDDLE_BOTH T cuCreal##f(C z) { return __HEDDLE_RE(z); }                                       \
  __HEDDLE_BOTH T cuCimag##f(C z) { return __HEDDLE_IM(z); }                                       \
  __HEDDLE_BOTH C cuConj##f(C z) { return {cuCreal##f(z), -cuCimag##f(z)}; }                       \
  __HEDDLE_BOTH C cuCadd##f(C x, C y) {                                                            \
    return {cuCreal##f(x) + cuCreal##f(y), cuCimag##f(x) + cuCimag##f(y)};                         \
  }                                                                                                \
  __HEDDLE_BOTH C cuCsub##f(C x, C y) {                                                            \
    return {cuCreal##f(x) - cuCreal##f(y), cuCimag##f(x) - cuCimag##f(y)};                         \
  }                                                                                                \
  __HEDDLE_BOTH C cuCmul##f(C x, C y) {                                                            \
    return {cuCreal##f(x) * cuCreal##f(y) - cuCimag##f(x) * cuCimag##f(y),                         \
            cuCreal##f(x) * cuCimag##f(y) + cuCimag##f(x) * cuCreal##f(y)};                        \
  }                                                                                                \
  __HEDDLE_FN C cuCdiv##f(C x, C y) {                                                              \
    /* Scaled, so that no square overflows. */                                                     \
    T s = (T)1 / (__heddle_fabs(cuCreal##f(y)) + __heddle_fabs(cuCimag##f(y)));                    \
    T xr = cuCreal##f(x) * s, xi = cuCimag##f(x) * s;                                              \
    T yr = cuCreal##f(y) * s, yi = cuCimag##f(y) * s;                                              \
    T n = (T)1 / (yr * yr + yi * yi);                                                              \
    return {(xr * yr + xi * yi) * n, (xi * yr - xr * yi) * n};                                     \
  }                                                                                                \
  __HEDDLE_FN T cuCabs##f(C z) { return __heddle_hypot(cuCreal##f(z), cuCimag##f(z)); }            \
  __HEDDLE_BOTH C cuCfma##f(C x, C y, C z) { return cuCadd##f(cuCmul##f(x, y), z); }
__HEDDLE_CU_COMPLEX(cuFloatComplex, float, Float, f)
__HEDDLE_CU_COMPLEX(cuDoubleComplex, double, Double, )
#undef __HEDDLE_CU_COMPLEX

__HEDDLE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {(double)__HEDDLE_RE(z), (double)__HEDDLE_IM(z)};
}
__HEDDLE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {(float)__HEDDLE_RE(z), (float)__HEDDLE_IM(z)};
}
#undef __HEDDLE_RE
#undef __HEDDLE_IM
