// 8-bit float formats of ml_dtypes, used for storage only.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// An 8-bit format with a sign, an exponent and a fraction. Kernels load elements as float32, which represents all
/// values of the format, and round to nearest even when they store.
struct SmallFloat {
  const char *name;
  unsigned fraction; ///< number of fraction bits
  int bias;
  // Codes without the sign bit. In formats without a negative zero, `nan` is its code, 0x80.
  unsigned largest;  ///< largest finite number
  unsigned overflow; ///< result of overflow: infinity if the format has one, otherwise NaN
  unsigned nan;

  bool hasInfinity() const { return overflow != nan; }
  /// True if the format has no negative zero. Its encoding, 0x80, is NaN instead.
  bool hasOneZero() const { return nan == 0x80; }
  /// True for formats without sign, fraction and zero: all numbers are powers of 2.
  bool hasOnlyPowers() const { return fraction == 0; }
};

/// The element type for the ml_dtypes format with that name; unknown if there is none.
Type smallFloatNamed(const std::string &name);

} // namespace heddle::python
