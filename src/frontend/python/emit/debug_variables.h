// Variables for debuggers: what of a function's values has a name in the source.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Describes parameters, and variables where several of their values meet (in loops, after branches), by their names,
/// types and places. The function's instructions are complete. Only for modules with debug information.
void describeVariables(Emitter &e);

} // namespace heddle::python
