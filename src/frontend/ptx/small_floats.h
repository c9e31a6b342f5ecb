// Conversions between floats and the types of tensor cores: tf32, and pairs of 8-bit floats.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

/// Translates a cvt with one of these types. Returns false if the opcode has none.
bool convertSmallFloats(Step &s);

} // namespace heddle::ptx
