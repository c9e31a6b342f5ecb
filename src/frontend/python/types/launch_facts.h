// What a launch knows of its arguments besides their types.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// What holds of one argument and makes the code better that is compiled for it. It changes nothing of what a kernel
/// means: types do not show it, and it becomes attributes of the kernel's parameters.
struct LaunchFacts {
  bool small = false;       ///< of a signed integer: it is from 0 to 2^31 - 1
  bool fewElements = false; ///< of an array: every extent is below 2^31, and so is their product
  bool aligned = false;     ///< of an array: it starts at a multiple of 16 bytes
  bool noAlias = false;     ///< of an array: no other argument of the launch overlaps it
  /// Of an array in C order of several axes: how many elements a row of the last has, where these are few (a pixel, a
  /// point); else 0.
  uint8_t rowLength = 0;
  bool operator==(const LaunchFacts &) const = default;
};

/// What a kernel is compiled for, of one parameter. Nothing is known of what a declared signature or a tuple holds.
struct KernelArgument {
  Type type;
  LaunchFacts facts = {};
  bool operator==(const KernelArgument &) const = default;
};

} // namespace heddle::python
