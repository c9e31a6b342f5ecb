// Which names belong to a function, and which ones the functions defined in it capture.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <map>
#include <set>

namespace heddle::python {

/// Where each name is assigned by the function itself, its parameters among them: assigned anywhere means local
/// everywhere, as in Python. Names that a `global` statement lists are left out.
std::map<std::string, std::vector<Span>> localNames(const FunctionSource &f);

/// The same of one node, without those below it.
void collectAssigned(const Node &node, std::map<std::string, std::vector<Span>> &names);

/// Completes the functions that are defined in `f`, at any depth: their environment is that of `f`, and what they read
/// of the functions around them become parameters of the kind Captured.
void completeNestedFunctions(FunctionSource &f);

} // namespace heddle::python
