// Emits one value of a function.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits `v`, which is neither a phi nor a terminator, and binds its parts.
void emitValue(Emitter &e, Value &v);

} // namespace heddle::python
