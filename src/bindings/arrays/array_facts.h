// What a launch reads off an array's address and layout.
#pragma once

#include "frontend/python/types/types.h"

#include <cstdint>

namespace heddle {

/// What a launch reads off an array's address and layout.
struct ArrayFacts {
  python::Type type;  ///< as long as nothing is known of the other arguments
  python::Type alone; ///< when no other argument overlaps it
  const char *low;    ///< the bytes that its elements lie in
  const char *high;
  bool misaligned; ///< an element does not start at a multiple of its size
};

/// An array in memory, seen by a launch.
struct ArrayView {
  void *data;
  python::Type element;
  unsigned ndim;
  const int64_t *shape;
  const int64_t *strides; ///< bytes
  bool readOnly;
};

/// `aligns`: whether an address that is a multiple of 16 is part of the type. `copied`: whether a copy of the array
/// stands in for it, which is aligned.
ArrayFacts factsOf(const ArrayView &view, bool aligns, bool copied);

} // namespace heddle
