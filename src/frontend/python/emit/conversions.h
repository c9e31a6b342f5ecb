// Values of one type as values of another.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The parts of a value of type `from` as those of a value of type `to`.
Parts convert(Emitter &e, const Parts &parts, Type from, Type to);
/// Those of `parts` that are element `i` of a tuple.
Parts tupleElement(Emitter &e, const Parts &parts, Type tuple, size_t i);

} // namespace heddle::python
