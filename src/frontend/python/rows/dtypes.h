// Arguments that name an array's element type.
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// The element type that argument `i` names: a type, a NumPy dtype, or the name of one as a string. Throws CompileError
/// (Typing) for anything else.
Type parseDtype(CallTyping &t, unsigned i);

} // namespace heddle::python
