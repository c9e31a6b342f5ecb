#include "frontend/python/types/slices.h"

namespace heddle::python {
namespace {

const char identity = 0; // its address represents the Python class

} // namespace

Type sliceValueType(std::vector<Type> bounds) {
  return namedTupleType(nameOfSlices, &identity, {"start", "stop", "step"}, std::move(bounds));
}

bool isSliceValue(Type type) { return type.isTuple() && type->identity == &identity; }

} // namespace heddle::python
