#include "frontend/python/types/literal_lists.h"

namespace heddle::python {
namespace {

const char identityOfLists = 0; // its address represents the Python class

} // namespace

Type literalListType(std::vector<Type> elements) {
  return namedTupleType(nameOfLiteralLists, &identityOfLists, {}, std::move(elements));
}

bool isLiteralList(Type type) { return type.isTuple() && type->identity == &identityOfLists; }

} // namespace heddle::python
