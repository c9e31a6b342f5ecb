// Floats as Python writes them.
#pragma once

#include <cstddef>

namespace heddle {

/// More than any float's text takes.
inline constexpr size_t shortestFloatBytes = 64;

/// Writes the shortest decimal number that reads as `v`, as repr() does, to a buffer of shortestFloatBytes. How long it is.
size_t writeShortest(double v, char *buffer);
size_t writeShortest(float v, char *buffer);

} // namespace heddle
