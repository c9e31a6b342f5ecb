// Finds the edges of a function's control flow that can be taken, which are the ones to compile.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// True if a condition selects a branch at compile time: it is constant and depends only on literals, names and types,
/// not on computed numbers.
bool hasKnownBranch(const Value &condition);

/// True if control can flow from `from` to its successor `to`. If the branch is selected at compile time, only its edge
/// is live.
bool isLiveEdge(const Block &from, const Block &to);

} // namespace heddle::python
