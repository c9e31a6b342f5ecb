// Expressions of whole arrays: np.sqrt(a * b + 1) is one loop, which keeps nothing of what comes between.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <set>

namespace heddle::python {

/// The array expressions of `f` that become part of what uses them: those with one use, another array expression or a
/// reduction in the same block, before which nothing is written.
std::set<const Value *> fusedExpressions(const TypedFunction &f);

/// Whether `v` makes a number of all elements of an array.
bool isReduction(const Value &v);

/// Whether the threads of the pool share the expressions of whole arrays in `f`.
bool sharesExpressions(const TypedFunction &f);

} // namespace heddle::python
