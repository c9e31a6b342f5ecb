// Directed rounding to 16-bit floats.
#pragma once
#include "heddle/both.h"

// Converts an integer to a double with round-to-odd. Rounding the double to a narrower type then gives the same as
// rounding the integer.
template <class T> __HEDDLE_LIB14 double __heddle_to_odd(T x) {
  if (sizeof(T) < 8)
    return (double)x;
  bool negative = x < T(0);
  unsigned long magnitude = negative ? 0 - (unsigned long)x : (unsigned long)x;
  unsigned long lost = magnitude >> 53 ? magnitude & 0x7ff : 0;
  double kept = (double)((magnitude & ~(magnitude >> 53 ? 0x7fful : 0ul)) | (lost ? 0x800ul : 0ul));
  return negative ? -kept : kept;
}

// Rounds a number down or up.
template <class T> __HEDDLE_FN T __heddle_rounded_down(double x) {
  T nearest(x);
  if (!((double)(float)nearest > x))
    return nearest;
  unsigned short bits = __builtin_bit_cast(unsigned short, nearest);
  return __builtin_bit_cast(T, (unsigned short)(bits >> 15 ? bits + 1 : bits - 1));
}
template <class T> __HEDDLE_FN T __heddle_rounded_up(double x) {
  return -__heddle_rounded_down<T>(-x);
}
template <class T> __HEDDLE_FN T __heddle_rounded_to_zero(double x) {
  return x < 0 ? __heddle_rounded_up<T>(x) : __heddle_rounded_down<T>(x);
}
