// Scopes: the local names of a function and the captures of nested functions.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <map>
#include <set>

namespace heddle::python {

/// The locations at which each local name is assigned, including parameters. As in Python, a name assigned anywhere in
/// the function is local throughout. Names in `global` statements are omitted.
std::map<std::string, std::vector<Span>> collectLocalNames(const FunctionSource &f);

/// Adds the names that a node assigns, without its children, to `names`.
void addAssignedNames(const Node &node, std::map<std::string, std::vector<Span>> &names);

/// Resolves the free names of the functions that are nested in `f` at any depth. The functions share the environment of
/// `f`, and the variables that they read from enclosing functions become Captured parameters.
void computeCapturesOfNestedFunctions(FunctionSource &f);

} // namespace heddle::python
