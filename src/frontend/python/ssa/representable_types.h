// The types that code for a target can represent.
#pragma once

#include "frontend/python/ssa/target_rules.h"
#include "frontend/python/types/types.h"

namespace heddle::python {

/// The part of `type` that the target cannot represent, for example the dict of an optional dict in a kernel. Returns
/// an unknown type if the target supports all of `type`. The emitters and library rows rely on every value, parameter
/// and result having a representable type.
Type findUnrepresentablePart(Type type, const TargetRules &rules);

/// For hints: suggests what to pass to a kernel instead of a value of type `part`; empty if there is no suggestion.
std::string hintForUnrepresentable(Type part);

} // namespace heddle::python
