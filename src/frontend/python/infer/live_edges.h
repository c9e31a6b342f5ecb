// Finds the branches that are compiled.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// True if a condition can select branches at compile time: it depends on literals, names and types.
bool selectsBranch(const Value &condition);

/// True if control can flow from `from` to `to`. A branch on a constant has one live edge.
bool isLiveEdge(const Block &from, const Block &to);

} // namespace heddle::python
