// Which branches of a function are compiled.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Whether a condition is known by what decides which branches are compiled: literals, names and types.
bool decidesBranches(const Value &condition);

/// Whether control can pass from `from` to `to`: a branch on a constant has one live edge.
bool isLiveEdge(const Block &from, const Block &to);

} // namespace heddle::python
