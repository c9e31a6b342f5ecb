// The types of the values that code for a target can hold.
#pragma once

#include "frontend/python/ssa/target_rules.h"
#include "frontend/python/types/types.h"

namespace heddle::python {

/// The part of `type` that code for the target has no values of: a dict of an optional dict in a kernel. Unknown where
/// the target can hold all of it. No value, parameter or result may have a type with such a part: the emitters and the
/// rows of the library rely on it.
Type unrepresentablePart(Type type, const TargetRules &rules);

/// For hints: what a program passes to a kernel in place of a value of the type `part`.
std::string insteadOf(Type part);

} // namespace heddle::python
