// Dicts of values of several types whose keys are strings that are written in them, as numba's LiteralStrKeyDict: tuples that
// are indexed by the keys.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

/// The name of an Opcode::Tuple that makes one; its `names` are the keys.
inline constexpr const char *nameOfLiteralDicts = "dict";

/// The name of the attribute that stands for `dict[key]`, which no program can write.
inline std::string attributeOfKey(const std::string &key) { return "[" + key + "]"; }
/// The type of a dict; its elements are called as the attributes.
Type literalDictType(std::vector<std::string> keys, std::vector<Type> values);
bool isLiteralDict(Type type);
std::vector<std::string> keysOf(Type literalDict);

} // namespace heddle::python
