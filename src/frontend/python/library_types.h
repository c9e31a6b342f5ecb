// Typing rules that several library tables share.
#pragma once

#include "frontend/python/library.h"

namespace heddle::python {

/// What `math.f(x)` computes in: float32 for a float32, float64 for everything else.
inline Type mathType(Type t) { return t == floatType(32) ? t : floatType(64); }

/// What a NumPy function of floats computes in: the smallest of float32 and float64 that holds every value of `t`.
inline Type numpyFloatType(Type t) {
  bool narrow = t.isBool() || t == floatType(32) || (t.isInteger() && t->bits <= 16);
  return narrow ? floatType(32) : floatType(64);
}

} // namespace heddle::python
