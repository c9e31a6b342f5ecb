// The code of NumPy's functions of numbers over arrays: np.add(x, y, out).
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits a call that isOverArrays(): one thread computes all elements, in the order of their indices.
Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row);

} // namespace heddle::python
