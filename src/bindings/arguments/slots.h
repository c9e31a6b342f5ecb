// 8-byte slots that pass scalars to a launch, with the value in the low bytes.
#pragma once

#include "frontend/python/types/types.h"

#include <cstdint>

namespace heddle {

/// Converts a float to a slot.
uint64_t floatToSlot(double v, python::Type type);
/// Converts a slot to a float.
double slotToFloat(uint64_t bits, python::Type type);
/// Converts a scalar in memory to a slot.
uint64_t loadSlot(const void *data, python::Type type);
/// Converts the scalar in a slot from type `from` to type `to`.
uint64_t convertSlot(uint64_t slot, python::Type from, python::Type to);
/// The number of slots that a value of this type takes.
size_t slotCount(python::Type type);

} // namespace heddle
