// The types that code for a target can represent.
#pragma once

#include "frontend/python/ssa/target_rules.h"
#include "frontend/python/types/types.h"

namespace heddle::python {

/// The part of `type` that the target cannot represent, for example a dict inside an optional dict in a kernel. Unknown
/// if the target supports all of it. The emitters and library rows rely on every value, parameter and result having a
/// representable type.
Type unrepresentablePart(Type type, const TargetRules &rules);

/// For hints: the replacement for arguments of type `part` in kernel calls.
std::string hintForUnrepresentable(Type part);

} // namespace heddle::python
