// Floats of 8 bits, as ml_dtypes has them: formats of memory.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// Bits of a sign, an exponent and a fraction. Kernels read such an element as float32, which holds each of its values,
/// and round to the nearest one, or that with an even fraction, where they write it.
struct SmallFloat {
  const char *name;
  unsigned fraction; ///< its bits
  int bias;
  // Codes without the sign, but for a format whose only NaN has the code of a negative zero:
  unsigned largest;  ///< of the finite numbers
  unsigned overflow; ///< what is larger becomes it: the infinity, where there is one, else NaN
  unsigned nan;

  bool hasInfinity() const { return overflow != nan; }
  /// Whether zero has one code, and NaN the one that a negative zero would have.
  bool hasOneZero() const { return nan == 0x80; }
  /// Whether it has no sign, no fraction and no zero: powers of 2.
  bool isPower() const { return fraction == 0; }
};

/// The type of elements of the format that ml_dtypes gives that name; unknown for any other.
Type smallFloatNamed(const std::string &name);

} // namespace heddle::python
