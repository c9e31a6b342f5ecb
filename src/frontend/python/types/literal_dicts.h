// Dicts with values of several types and literal string keys (numba's LiteralStrKeyDict): tuples indexed by key.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes a literal dict; its `names` are the keys.
inline constexpr const char *nameOfLiteralDicts = "dict";

/// The attribute name that stands for `dict[key]`. It is not a valid Python name.
inline std::string attributeOfKey(const std::string &key) { return "[" + key + "]"; }
/// The type of a literal dict: a named tuple whose element names are attributeOfKey() of the keys.
Type literalDictType(std::vector<std::string> keys, std::vector<Type> values);
bool isLiteralDict(Type type);
std::vector<std::string> keysOf(Type literalDict);

} // namespace heddle::python
