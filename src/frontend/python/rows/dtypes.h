// Arguments that stand for the type of an array's elements.
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// The element type that argument `i` stands for: a type, a NumPy dtype, or the name of either as a string. Throws
/// CompileError (Typing) for anything else.
Type dtypeOf(CallTyping &t, unsigned i);

} // namespace heddle::python
