// Conversions with explicit rounding, and related functions.
#pragma once

__HEDDLE_FN int __float2int_rn(float x) { return (int)__heddle_rint(x); }
__HEDDLE_FN int __float2int_rd(float x) { return (int)__heddle_floor(x); }
__HEDDLE_FN int __float2int_ru(float x) { return (int)__heddle_ceil(x); }
__HEDDLE_FN int __float2int_rz(float x) { return (int)__heddle_trunc(x); }
__HEDDLE_FN unsigned __float2uint_rn(float x) { return (unsigned)__heddle_rint(x); }
__HEDDLE_FN unsigned __float2uint_rd(float x) { return (unsigned)__heddle_floor(x); }
__HEDDLE_FN unsigned __float2uint_ru(float x) { return (unsigned)__heddle_ceil(x); }
__HEDDLE_FN unsigned __float2uint_rz(float x) { return (unsigned)__heddle_trunc(x); }
__HEDDLE_FN long long __float2ll_rn(float x) { return (long long)__heddle_rint(x); }
__HEDDLE_FN long long __float2ll_rd(float x) { return (long long)__heddle_floor(x); }
__HEDDLE_FN long long __float2ll_ru(float x) { return (long long)__heddle_ceil(x); }
__HEDDLE_FN long long __float2ll_rz(float x) { return (long long)__heddle_trunc(x); }
__HEDDLE_FN unsigned long long __float2ull_rn(float x) {
  return (unsigned long long)__heddle_rint(x);
}
__HEDDLE_FN unsigned long long __float2ull_rd(float x) {
  return (unsigned long long)__heddle_floor(x);
}
__HEDDLE_FN unsigned long long __float2ull_ru(float x) {
  return (unsigned long long)__heddle_ceil(x);
}
__HEDDLE_FN unsigned long long __float2ull_rz(float x) {
  return (unsigned long long)__heddle_trunc(x);
}
__HEDDLE_FN int __double2int_rn(double x) { return (int)__heddle_rint(x); }
__HEDDLE_FN int __double2int_rd(double x) { return (int)__heddle_floor(x); }
__HEDDLE_FN int __double2int_ru(double x) { return (int)__heddle_ceil(x); }
__HEDDLE_FN int __double2int_rz(double x) { return (int)__heddle_trunc(x); }
__HEDDLE_FN unsigned __double2uint_rn(double x) { return (unsigned)__heddle_rint(x); }
__HEDDLE_FN unsigned __double2uint_rd(double x) { return (unsigned)__heddle_floor(x); }
__HEDDLE_FN unsigned __double2uint_ru(double x) { return (unsigned)__heddle_ceil(x); }
__HEDDLE_FN unsigned __double2uint_rz(double x) { return (unsigned)__heddle_trunc(x); }
__HEDDLE_FN long long __double2ll_rn(double x) { return (long long)__heddle_rint(x); }
__HEDDLE_FN long long __double2ll_rd(double x) { return (long long)__heddle_floor(x); }
__HEDDLE_FN long long __double2ll_ru(double x) { return (long long)__heddle_ceil(x); }
__HEDDLE_FN long long __double2ll_rz(double x) { return (long long)__heddle_trunc(x); }
__HEDDLE_FN unsigned long long __double2ull_rn(double x) {
  return (unsigned long long)__heddle_rint(x);
}
__HEDDLE_FN unsigned long long __double2ull_rd(double x) {
  return (unsigned long long)__heddle_floor(x);
}
__HEDDLE_FN unsigned long long __double2ull_ru(double x) {
  return (unsigned long long)__heddle_ceil(x);
}
__HEDDLE_FN unsigned long long __double2ull_rz(double x) {
  return (unsigned long long)__heddle_trunc(x);
}

// Converts an integer to a float with directed rounding: rounds to nearest, then corrects by one step if needed.
template <class F, class I> __HEDDLE_FN F __heddle_to_float(I x, int direction) {
  // The smallest power of two above all numbers of type I.
  const F beyond = (F)(1ull << (8 * sizeof(I) - 1)) * ((I)-1 < 0 ? 1 : 2);
  F nearest = (F)x;
  bool above = nearest >= beyond || (I)nearest > x, below = !above && (I)nearest < x;
  if (direction > 0 && below)
    return __heddle_nextafter(nearest, (F)__builtin_inf());
  if (direction < 0 && above)
    return __heddle_nextafter(nearest, (F)-__builtin_inf());
  if (direction == 0 && (x > 0 ? above : below))
    return __heddle_nextafter(nearest, (F)0);
  return nearest;
}
__HEDDLE_FN float __int2float_rn(int x) { return (float)x; }
__HEDDLE_FN float __int2float_rd(int x) { return __heddle_to_float<float>(x, -1); }
__HEDDLE_FN float __int2float_ru(int x) { return __heddle_to_float<float>(x, 1); }
__HEDDLE_FN float __int2float_rz(int x) { return __heddle_to_float<float>(x, 0); }
__HEDDLE_FN double __int2double_rn(int x) { return (double)x; }
__HEDDLE_FN float __uint2float_rn(unsigned x) { return (float)x; }
__HEDDLE_FN float __uint2float_rd(unsigned x) { return __heddle_to_float<float>(x, -1); }
__HEDDLE_FN float __uint2float_ru(unsigned x) { return __heddle_to_float<float>(x, 1); }
__HEDDLE_FN float __uint2float_rz(unsigned x) { return __heddle_to_float<float>(x, 0); }
__HEDDLE_FN double __uint2double_rn(unsigned x) { return (double)x; }
__HEDDLE_FN float __ll2float_rn(long long x) { return (float)x; }
__HEDDLE_FN float __ll2float_rd(long long x) { return __heddle_to_float<float>(x, -1); }
__HEDDLE_FN float __ll2float_ru(long long x) { return __heddle_to_float<float>(x, 1); }
__HEDDLE_FN float __ll2float_rz(long long x) { return __heddle_to_float<float>(x, 0); }
__HEDDLE_FN double __ll2double_rn(long long x) { return (double)x; }
__HEDDLE_FN double __ll2double_rd(long long x) { return __heddle_to_float<double>(x, -1); }
__HEDDLE_FN double __ll2double_ru(long long x) { return __heddle_to_float<double>(x, 1); }
__HEDDLE_FN double __ll2double_rz(long long x) { return __heddle_to_float<double>(x, 0); }
__HEDDLE_FN float __ull2float_rn(unsigned long long x) { return (float)x; }
__HEDDLE_FN float __ull2float_rd(unsigned long long x) { return __heddle_to_float<float>(x, -1); }
__HEDDLE_FN float __ull2float_ru(unsigned long long x) { return __heddle_to_float<float>(x, 1); }
__HEDDLE_FN float __ull2float_rz(unsigned long long x) { return __heddle_to_float<float>(x, 0); }
__HEDDLE_FN double __ull2double_rn(unsigned long long x) { return (double)x; }
__HEDDLE_FN double __ull2double_rd(unsigned long long x) {
  return __heddle_to_float<double>(x, -1);
}
__HEDDLE_FN double __ull2double_ru(unsigned long long x) { return __heddle_to_float<double>(x, 1); }
__HEDDLE_FN double __ull2double_rz(unsigned long long x) { return __heddle_to_float<double>(x, 0); }

__HEDDLE_FN float __double2float_rn(double x) { return (float)x; }
__HEDDLE_FN float __double2float_rd(double x) {
  float nearest = (float)x;
  return nearest > x ? __heddle_nextafter(nearest, -__builtin_inff()) : nearest;
}
__HEDDLE_FN float __double2float_ru(double x) {
  float nearest = (float)x;
  return nearest < x ? __heddle_nextafter(nearest, __builtin_inff()) : nearest;
}
__HEDDLE_FN float __double2float_rz(double x) {
  return x < 0 ? __double2float_ru(x) : __double2float_rd(x);
}
