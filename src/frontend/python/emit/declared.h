// Functions whose code is not Python.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits a function that is declared here and defined elsewhere: a call of that definition in its calling convention.
void emitDeclared(Emitter &e);

} // namespace heddle::python
