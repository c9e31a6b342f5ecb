// Atomics that CuPy kernels have in addition to CUDA's: on float16, and min and max on floats.
#pragma once
#include "cupy/float16.cuh"

// Atomically replaces the value by `change(old)`. Returns the old value.
template <class _Bits, class _T, class _Change>
__HEDDLE_FN _T __heddle_atomic_change(_T *p, _Change change) {
  _Bits *bits = (_Bits *)p, old = *(volatile _Bits *)bits;
  for (;;) {
    _T now = __builtin_bit_cast(_T, old);
    _Bits seen = atomicCAS(bits, old, __builtin_bit_cast(_Bits, change(now)));
    if (seen == old)
      return now;
    old = seen;
  }
}

__HEDDLE_FN float16 atomicAdd(float16 *p, float16 v) {
  return __heddle_atomic_change<unsigned short>(p, [=](float16 x) { return float16(x + v); });
}

#define __HEDDLE_ATOMIC_OF_FLOATS(name, T, Bits, larger)                                           \
  __HEDDLE_FN T name(T *p, T v) {                                                                  \
    return __heddle_atomic_change<Bits>(p, [=](T x) { return larger(v, x); });                     \
  }
__HEDDLE_ATOMIC_OF_FLOATS(atomicMax, float, unsigned, fmaxf)
__HEDDLE_ATOMIC_OF_FLOATS(atomicMin, float, unsigned, fminf)
__HEDDLE_ATOMIC_OF_FLOATS(atomicMax, double, unsigned long long, fmax)
__HEDDLE_ATOMIC_OF_FLOATS(atomicMin, double, unsigned long long, fmin)
#undef __HEDDLE_ATOMIC_OF_FLOATS
