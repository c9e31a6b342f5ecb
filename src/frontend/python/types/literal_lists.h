// Lists of values of several types, as numba's literal lists: tuples that Python sees as lists.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes one.
inline constexpr const char *nameOfLiteralLists = "list";
/// The name of an Opcode::Tuple that is written as a list, as an argument of what may be a function of the library.
inline constexpr const char *nameOfArgumentLists = "argument";

Type literalListType(std::vector<Type> elements);
bool isLiteralList(Type type);

} // namespace heddle::python
