// Slices as values, which functions take and return: named tuples of start, stop and step. A slice that is written in
// brackets is no value, see Opcode::Slice.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes one.
inline constexpr const char *nameOfSlices = "slice";

/// `bounds` are the types of start, stop and step: numbers or None.
Type sliceValueType(std::vector<Type> bounds);
bool isSliceValue(Type type);

} // namespace heddle::python
