// Facts about an array that a launch derives from its address and layout.
#pragma once

#include "frontend/python/types/launch_facts.h"

#include <cstdint>

namespace heddle {

struct ArrayFacts {
  python::Type type;
  python::LaunchFacts known; ///< facts that do not depend on other arguments
  const char *low;           ///< range of the elements' bytes
  const char *high;
  bool misaligned; ///< an element's address is not a multiple of its size
};

/// An array in memory as a launch sees it.
struct ArrayView {
  void *data;
  python::Type element;
  unsigned ndim;
  const int64_t *shape;
  const int64_t *strides; ///< in bytes
  bool readOnly;
};

/// C or F if the elements are contiguous in that order, else any. As in NumPy, the stride of an axis with one element
/// does not matter, and an empty array is contiguous.
python::Layout layoutOf(unsigned ndim, const int64_t *shape, const int64_t *strides,
                        int64_t itemsize);

/// Derives the facts about an array. `aligns`: the device has separate code for addresses that are multiples of 16.
/// `copied`: the kernel gets an aligned copy of the array.
ArrayFacts computeArrayFacts(const ArrayView &view, bool aligns, bool copied);

} // namespace heddle
