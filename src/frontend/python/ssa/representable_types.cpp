#include "frontend/python/ssa/representable_types.h"

namespace heddle::python {
namespace {

/// True if values of the type own memory that a function allocates, or resume a function.
bool needsOwners(Type type) {
  return type.isContainer() || type.isGenerator() || type.is(TypeKind::Caught) ||
         type == runtimeStringType() || type == randomGeneratorType();
}

/// True if values of the type consist of values of `elements`.
bool consistsOfElementTypes(Type type) { return type.isComposite() || type.isTable(); }

/// True if values of the type contain or refer to values of `element`.
bool refersToElementType(Type type) {
  return type.is(TypeKind::Optional) || type.isPointer() || type.isList() || type.isGenerator();
}

} // namespace

Type findUnrepresentablePart(Type type, const TargetRules &rules) {
  if (type.isDeferred() || (!rules.makesArrays && needsOwners(type)))
    return type;
  if (consistsOfElementTypes(type))
    for (Type element : type->elements)
      if (Type part = findUnrepresentablePart(element, rules))
        return part;
  return refersToElementType(type) ? findUnrepresentablePart(type->element, rules) : Type();
}

std::string hintForUnrepresentable(Type part) {
  if (part.isList())
    return "pass the items as an array or a tuple";
  if (part.isTable())
    return "pass the keys and the values as arrays";
  if (part.isDeferred())
    return "define the deferred type before the signature: "
           "deferred.define(Class.class_type.instance_type)";
  if (part.isInstance())
    return "pass the attributes one by one, or in a named tuple or a record";
  if (part.isGenerator())
    return "write a loop over a range, or pass an array";
  if (part == runtimeStringType())
    return "pass a constant string or a number";
  return "";
}

} // namespace heddle::python
