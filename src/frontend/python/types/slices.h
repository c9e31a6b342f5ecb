// Slices as values that functions accept and return: named tuples of start, stop and step. A slice written in brackets
// is an Opcode::Slice instead.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes a slice value.
inline constexpr const char *nameOfSlices = "slice";

/// `bounds` are the types of start, stop and step: numbers or None.
Type sliceValueType(std::vector<Type> bounds);
bool isSliceValue(Type type);

} // namespace heddle::python
