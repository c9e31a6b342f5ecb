// Attributes of arrays in kernels, `a.shape`, `a.size`, `a.T` and so on, and of groups of threads.
#pragma once

#include "frontend/python/ir.h"

namespace heddle::python {

struct Member {
  Type type; ///< unknown when there is no such attribute; `hint` may then say what to do
  std::optional<Constant> constant;
  std::string hint;
};

/// What every array has.
const std::vector<std::string> &arrayMemberNames();

Member memberOf(Type object, const std::string &name);

/// Whether `object.name` means something in `source`.
bool hasAttribute(const FunctionSource &source, const Value &object, const std::string &name);

} // namespace heddle::python
