// The 8-byte slots in which a launch passes scalars: the bits of a number in the low bytes.
#pragma once

#include "frontend/python/types/types.h"

#include <cstdint>

namespace heddle {

/// The slot of a float.
uint64_t bitsOf(double v, python::Type type);
/// The value of a float's slot.
double floatOf(uint64_t bits, python::Type type);
/// The slot of a scalar that lies in memory.
uint64_t slotOf(const void *data, python::Type type);
/// The slot of a scalar of type `from` as one of type `to`.
uint64_t convertSlot(uint64_t slot, python::Type from, python::Type to);
/// How many slots a value of that type takes.
size_t slotCount(python::Type type);

} // namespace heddle
