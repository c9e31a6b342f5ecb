// Typing rules and remarks that several library tables share.
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// A row that numba.cuda's documentation (cudapysupported.rst) does not list.
constexpr LibraryRow asUnlisted(LibraryRow row) {
  return withDifference(row, "not in numba.cuda's list of supported features");
}

/// A row of a NumPy function that also applies to arrays, element by element.
constexpr LibraryRow asElementwise(LibraryRow row) {
  return withMeaning(row, Meaning::Elementwise);
}

/// The type in which `math.f(x)` computes: float32 for floats of at most 32 bits, otherwise float64.
inline Type mathType(Type t) {
  return t == floatType(32) || t.isHalf() ? floatType(32) : floatType(64);
}

/// The type in which a NumPy float function computes: float32 if it holds every value of `t`, otherwise float64.
inline Type numpyFloatType(Type t) {
  bool narrow = t.isBool() || t == floatType(32) || t.isHalf() || (t.isInteger() && t->bits <= 16);
  return narrow ? floatType(32) : floatType(64);
}

/// The complex type for a number in functions that accept only complex numbers, as in numba.
inline Type complexTypeOf(Type t) {
  if (t.isComplex())
    return t;
  bool narrow = t.isBool() || t == floatType(32) || t.isHalf() ||
                (t.isInteger() && (t->bits == 8 || (t->bits == 16 && t.isSigned())));
  return complexType(narrow ? 64 : 128);
}

} // namespace heddle::python
