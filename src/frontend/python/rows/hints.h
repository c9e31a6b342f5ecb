// Hints: the last sentence of an error message, which suggests what to write instead.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// The hint for `v`, an expression that does not support operands of these types. All functions of this file return an
/// empty string if they have no hint.
std::string hintForOperandTypes(const TypedFunction &function, const Value &v);

/// The hint for a value that is used where a number is needed.
std::string hintForNonNumber(const Value &v);

/// The hint for a name that is not defined: its import, the library function of this name, or the closest of `known`.
std::string hintForUndefined(const std::string &name, const std::vector<std::string> &known,
                             const TargetRules &rules);

/// The hint for a member that a module or a group of device operations does not have. known: the members.
std::string hintForMember(const std::string &object, const std::string &name,
                          const std::vector<std::string> &known);

/// The hint for reading an unassigned variable: names the assignment that makes it local.
std::string hintForUnassigned(const FunctionSource &source, const std::string &name);

/// The hint for an attribute that Python or NumPy objects have, but values in compiled code do not.
std::string hintForAttribute(Type object, const std::string &name, const TargetRules &rules);

/// The hint for a call of a library row with arguments that it does not accept.
std::string hintForArguments(const LibraryRow &row, const TargetRules &rules);

/// The hint for an array index that is not an integer.
std::string hintForIndex(const Value &index);

/// The hint for a sort in a kernel.
std::string hintForSort();

} // namespace heddle::python
