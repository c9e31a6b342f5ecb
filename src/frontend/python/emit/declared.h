// Functions that are not defined in Python.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits the body of a declared function: a call of its definition with the declared calling convention.
void emitDeclaredBody(Emitter &e);

} // namespace heddle::python
