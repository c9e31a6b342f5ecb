// Functions whose code is not Python.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The whole function, of one that is declared and defined elsewhere: it calls that one as its language does.
void emitDeclared(Emitter &e);

} // namespace heddle::python
