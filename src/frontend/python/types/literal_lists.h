// Lists with elements of several types (numba's literal lists): tuples that Python sees as lists.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes a literal list.
inline constexpr const char *nameOfLiteralLists = "list";
/// The name of an Opcode::Tuple for a list literal that may be an argument of a library function.
inline constexpr const char *nameOfArgumentLists = "argument";

Type literalListType(std::vector<Type> elements);
bool isLiteralList(Type type);

} // namespace heddle::python
