// 8-bit float formats of ml_dtypes, used for storage only.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// A format with a sign, an exponent and a fraction. Kernels read elements as float32, which represents all of their
/// values, and round to nearest even when they write.
struct SmallFloat {
  const char *name;
  unsigned fraction; ///< number of fraction bits
  int bias;
  // Codes without the sign bit, except in formats whose only NaN is the code of a negative zero:
  unsigned largest;  ///< largest finite number
  unsigned overflow; ///< result of overflow: infinity if the format has one, otherwise NaN
  unsigned nan;

  bool hasInfinity() const { return overflow != nan; }
  /// True if zero has one code and NaN takes that of negative zero.
  bool hasOneZero() const { return nan == 0x80; }
  /// True for formats with no sign, fraction or zero: powers of 2.
  bool hasOnlyPowers() const { return fraction == 0; }
};

/// The element type for the ml_dtypes format with that name; unknown for others.
Type smallFloatNamed(const std::string &name);

} // namespace heddle::python
