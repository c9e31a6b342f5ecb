// Conversions between types.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Converts a value of type `from` to type `to`.
Parts convert(Emitter &e, const Parts &parts, Type from, Type to);
/// The parts of element `i` of a tuple.
Parts tupleElement(Emitter &e, const Parts &parts, Type tuple, size_t i);

} // namespace heddle::python
