// Formats floats as Python does.
#pragma once

#include <cstddef>

namespace heddle {

/// A buffer size that fits the text of every float.
inline constexpr size_t shortestFloatBytes = 64;

/// Writes the shortest decimal text that parses to `v`, as repr() does, and returns its length. `buffer` must have
/// shortestFloatBytes.
size_t writeShortest(double v, char *buffer);
size_t writeShortest(float v, char *buffer);

} // namespace heddle
