#include "frontend/python/types/literal_dicts.h"

namespace heddle::python {
namespace {

const char identityOfDicts = 0; // its address represents the Python class

} // namespace

Type literalDictType(std::vector<std::string> keys, std::vector<Type> values) {
  for (std::string &key : keys)
    key = attributeOfKey(key);
  return namedTupleType(nameOfLiteralDicts, &identityOfDicts, std::move(keys), std::move(values));
}

std::vector<std::string> keysOf(Type literalDict) {
  std::vector<std::string> keys;
  for (const std::string &name : literalDict->names)
    keys.push_back(name.substr(1, name.size() - 2));
  return keys;
}

bool isLiteralDict(Type type) { return type.isTuple() && type->identity == &identityOfDicts; }

} // namespace heddle::python
