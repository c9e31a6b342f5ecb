// Lists of values of several types, as numba's literal lists: tuples that Python sees as lists.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes one.
inline constexpr const char *nameOfLiteralLists = "list";

Type literalListType(std::vector<Type> elements);
bool isLiteralList(Type type);

} // namespace heddle::python
