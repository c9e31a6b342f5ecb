// How a loop's body uses a variable, by its syntax alone.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <optional>
#include <set>

namespace heddle::python {

/// Every variable that the loop assigns, its own target among them.
std::set<std::string> assignedNames(const Node &loop);

/// Every name that the loop's body reads, those that functions defined in it capture included.
std::set<std::string> readNames(const Node &loop);

/// The variables of `f` to which it assigns empty lists, dicts and sets, `[]` or `dict()`, and nothing else.
std::set<std::string> emptyContainers(const FunctionSource &f);

/// Whether the loop's body puts something into one of these variables: `d[key] = value`, `found.append(x)`.
bool putsInto(const Node &loop, const std::set<std::string> &containers);

/// How the statements reduce into `name`; nothing where one assigns it otherwise. `conflict` is where they do it in
/// another way, `otherRead` where they read it besides.
std::optional<Reduction> reductionOf(const std::vector<NodePtr> &body, const std::string &name);

/// Where a round of the loop first reads the variable that it may not have assigned before; no line where there is none.
struct FirstUse {
  Span read;
  bool isCertain = false; ///< no path has assigned it
};
FirstUse firstUseOf(const Node &loop, const std::string &name);

} // namespace heddle::python
