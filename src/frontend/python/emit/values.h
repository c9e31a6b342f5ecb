// The code of one value of a function.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits `v`, which is no phi and does not end a block, and binds it to its parts.
void emitValue(Emitter &e, Value &v);

} // namespace heddle::python
