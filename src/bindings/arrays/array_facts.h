// What a launch reads off an array's address and layout.
#pragma once

#include "frontend/python/types/launch_facts.h"

#include <cstdint>

namespace heddle {

/// What a launch reads off an array's address and layout.
struct ArrayFacts {
  python::Type type;
  python::LaunchFacts known; ///< as long as nothing is known of the other arguments
  const char *low;           ///< the bytes that its elements lie in
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

/// `aligns`: whether code differs for an address that is a multiple of 16. `copied`: whether a copy of the array
/// stands in for it, which is aligned.
ArrayFacts factsOf(const ArrayView &view, bool aligns, bool copied);

} // namespace heddle
