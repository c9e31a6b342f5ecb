// The code of NumPy's functions of numbers over arrays: np.add(x, y, out).
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits a call that isOverArrays().
Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row);

} // namespace heddle::python
