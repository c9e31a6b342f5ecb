// Syntactic analysis of how loop bodies use variables.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <optional>
#include <set>

namespace heddle::python {

/// Every variable that the loop assigns, including its target.
std::set<std::string> collectAssignedNames(const Node &loop);

/// Every name that the loop body reads, including captures of functions defined in it.
std::set<std::string> collectReadNames(const Node &loop);

/// The variables of `f` that are only ever assigned empty lists, dicts and sets (`[]`, `dict()`).
std::set<std::string> findEmptyContainers(const FunctionSource &f);

/// True if the loop body adds to one of these containers: `d[key] = value`, `found.append(x)`.
bool addsToContainer(const Node &loop, const std::set<std::string> &containers);

/// The reduction that `body` computes in the variable `name`; nothing if it has none, or assigns the variable in
/// another way. `conflict` of the result locates a reduction of another kind, and `otherRead` any other read.
std::optional<Reduction> findReduction(const std::vector<NodePtr> &body, const std::string &name);

/// The first read of a variable in an iteration that may precede the iteration's assignment; line 0 if there is none.
struct FirstUse {
  Span read;
  bool isCertain = false; ///< no path assigns the variable first
};
FirstUse findFirstUse(const Node &loop, const std::string &name);

} // namespace heddle::python
