// Properties of launch arguments beyond their types.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// Facts about one argument that allow better code, without an effect on semantics or types. They become attributes of
/// the kernel's parameters.
struct LaunchFacts {
  bool small = false;       ///< a signed integer in the range 0 to 2^31 - 1
  bool fewElements = false; ///< an array whose extents and element count are below 2^31
  bool aligned = false;     ///< an array that starts at a multiple of 16 bytes
  bool noAlias = false;     ///< an array that no other argument of the launch overlaps
  /// The extent of the last axis (a pixel, a point) of a multidimensional array in C order, if it is small; otherwise
  /// 0.
  uint8_t rowLength = 0;
  bool operator==(const LaunchFacts &) const = default;
};

/// The type and facts of one parameter. There are no facts for declared signatures and tuple elements.
struct KernelArgument {
  Type type;
  LaunchFacts facts = {};
  bool operator==(const KernelArgument &) const = default;
};

} // namespace heddle::python
