// Typing rules and remarks that several library tables share.
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// A row of something that numba.cuda's documentation does not list (cudapysupported.rst).
constexpr LibraryRow unlisted(LibraryRow row) {
  return differing(row, "not in numba.cuda's list of supported features");
}

/// A row of NumPy's that goes over arrays, too, element by element.
constexpr LibraryRow elementwise(LibraryRow row) { return meaning(row, Meaning::Elementwise); }

/// What `math.f(x)` computes in: float32 for a float of at most 32 bits, float64 for everything else.
inline Type mathType(Type t) {
  return t == floatType(32) || t.isHalf() ? floatType(32) : floatType(64);
}

/// What a NumPy function of floats computes in: the smallest of float32 and float64 that holds every value of `t`.
inline Type numpyFloatType(Type t) {
  bool narrow = t.isBool() || t == floatType(32) || t.isHalf() || (t.isInteger() && t->bits <= 16);
  return narrow ? floatType(32) : floatType(64);
}

/// The complex type that holds the values of a number: numba's for a function of complex numbers alone.
inline Type complexTypeOf(Type t) {
  if (t.isComplex())
    return t;
  bool narrow = t.isBool() || t == floatType(32) || t.isHalf() ||
                (t.isInteger() && (t->bits == 8 || (t->bits == 16 && t.isSigned())));
  return complexType(narrow ? 64 : 128);
}

} // namespace heddle::python
