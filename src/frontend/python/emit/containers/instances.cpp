#include "frontend/python/emit/containers/instances.h"

#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/kept_values.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

StoredValue locateAttribute(Emitter &e, Value &instance, const std::string &name) {
  const auto &names = instance.type->names;
  StoredValue fields = listItem(e, instance.type, e.parts(instance)[0], e.int64(0));
  return fields.element(size_t(llvm::find(names, name) - names.begin()));
}

/// True if a value of that type is or contains an object that cannot be used before it is assigned.
bool mustBeAssignedBeforeUse(Type type) {
  return type.isContainer() || type.isRecord() ||
         (type.isTuple() && llvm::any_of(type->elements, mustBeAssignedBeforeUse));
}

} // namespace

Parts emitNewInstance(Emitter &e, Value &v) {
  llvm::Value *owner = allocateList(e, v.type->element, 1);
  e.owners().takeOverReferences(v, {owner});
  listItem(e, v.type, owner, e.int64(0)).clear();
  return {owner};
}

Parts emitInstanceAttribute(Emitter &e, Value &v) {
  StoredValue attribute = locateAttribute(e, *v.operands[0], v.name);
  OwnerList owners = attribute.owners();
  if (mustBeAssignedBeforeUse(attribute.type())) {
    llvm::Value *unset = e.b.getFalse();
    for (llvm::Value *owner : owners)
      unset = e.b.CreateOr(unset, e.b.CreateIsNull(owner));
    e.trapIf(unset, v.span, "AttributeError",
             "attribute '" + v.name + "' is not assigned yet: assign it in __init__");
  }
  Parts parts = attribute.parts();
  e.owners().retainUnlessBorrowed(v, std::move(owners));
  return parts;
}

void emitInstanceStore(Emitter &e, Value &v) {
  Value &instance = *v.operands[0], &value = *v.operands[2];
  StoredValue attribute = locateAttribute(e, instance, v.name);
  Kept now = convertAndOwnForStorage(e, value, attribute.type());
  e.owners().retain(now.owners);
  OwnerList before = attribute.owners();
  attribute.store(now.parts, now.owners);
  e.owners().release(before);
}

} // namespace heddle::python
