// The last sentence of a message: what to write instead, by what the expression is made of.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// What to do about `v`, an expression that kernels cannot have with operands of these types; empty when nothing is
/// known that helps.
std::string hintFor(const TypedFunction &function, const Value &v);

/// What to do about a value that stands where a number is needed; empty when nothing is known that helps.
std::string hintForNumber(const Value &v);

/// What to do about a variable that is read where it has no value: which assignment makes it a local one.
std::string hintForUnassigned(const FunctionSource &source, const std::string &name);

/// What to write instead of a method that arrays have in NumPy, or lists and strings in Python, and values of kernels do
/// not; empty for any other name.
std::string hintForAttribute(Type object, const std::string &name, const TargetRules &rules);

/// What to do about a call of a row of the library with arguments that it does not take.
std::string hintForArguments(const LibraryRow &row, const TargetRules &rules);

/// "as in a[i]" for the index of an array that is no integer; empty when nothing is known that helps.
std::string hintForIndex(const Value &index);

} // namespace heddle::python
