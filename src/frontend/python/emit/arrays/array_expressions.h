// Array expressions: np.sqrt(a * b + 1) becomes one loop without temporaries.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <set>

namespace heddle::python {

/// The array expressions of `f` to fuse into their user. Each has one use, an array expression or a reduction in the
/// same block, and no value between it and the use writes to memory.
std::set<const Value *> findFusedExpressions(const TypedFunction &f);

/// True if `v` reduces an array to a number.
bool isReduction(const Value &v);

/// True if the pool's threads divide the work of the array expressions in `f`.
bool runsArrayExpressionsOnThreadPool(const TypedFunction &f);

} // namespace heddle::python
