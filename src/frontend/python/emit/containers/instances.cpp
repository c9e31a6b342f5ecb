#include "frontend/python/emit/containers/instances.h"

#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/kept_values.h"
#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

unsigned countValueParts(Emitter &e, Type type) {
  return unsigned(partTypes(e.b.getContext(), type).size());
}

llvm::Value *attributesOf(Emitter &e, llvm::Value *instance) {
  llvm::Value *place =
      e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), instance, simt::listElements);
  return e.b.CreateLoad(e.b.getPtrTy(), place);
}

/// The slots of an attribute.
class Place {
public:
  Place(Emitter &e, Value &instance, const std::string &name)
      : e_(e), slots_(attributesOf(e, e.parts(instance)[0])) {
    Type all = instance.type;
    size_t number = llvm::find(all->names, name) - all->names.begin();
    type_ = resolveDeferred(all->elements[number]);
    firstOwner_ = countValueParts(e, all->element);
    for (Type before : llvm::ArrayRef(all->elements).take_front(number)) {
      firstPart_ += countValueParts(e, before);
      firstOwner_ += unsigned(countMemories(before));
    }
  }

  Type type() const { return type_; }

  Parts parts() {
    Parts out;
    for (llvm::Type *type : partTypes(e_.b.getContext(), type_))
      out.push_back(loadSlot(e_.b, slotAt(e_.b, slots_, firstPart_ + unsigned(out.size())), type));
    return out;
  }
  OwnerList owners() {
    OwnerList out;
    for (unsigned i = 0; i < countMemories(type_); ++i)
      out.push_back(e_.b.CreateLoad(e_.b.getPtrTy(), slotAt(e_.b, slots_, firstOwner_ + i)));
    return out;
  }
  void store(const Kept &value) {
    llvm::SmallVector<bool, 8> isSigned = signedParts(type_, e_.b.getContext());
    for (unsigned i = 0; i < value.parts.size(); ++i)
      storeSlot(e_.b, slotAt(e_.b, slots_, firstPart_ + i), value.parts[i], isSigned[i]);
    for (unsigned i = 0; i < value.owners.size(); ++i)
      e_.b.CreateStore(value.owners[i], slotAt(e_.b, slots_, firstOwner_ + i));
  }

private:
  Emitter &e_;
  llvm::Value *slots_;
  Type type_;
  unsigned firstPart_ = 0, firstOwner_ = 0;
};

/// True if a value of that type is or contains an object that cannot be used before it is assigned.
bool holdsContainer(Type type) {
  return type.isContainer() || type.isRecord() ||
         (type.isTuple() && llvm::any_of(type->elements, holdsContainer));
}

} // namespace

Parts emitNewInstance(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  Type attributes = v.type->element;
  llvm::Value *owner = newList(e, attributes, 1);
  size_t slots = countValueParts(e, attributes) + countMemories(attributes);
  b.CreateMemSet(attributesOf(e, owner), b.getInt8(0), slots * slotBytes, llvm::Align(slotBytes));
  e.owners().hold(v, {owner});
  return {owner};
}

Parts emitInstanceAttribute(Emitter &e, Value &v) {
  Place place(e, *v.operands[0], v.name);
  OwnerList owners = place.owners();
  if (holdsContainer(place.type())) {
    llvm::Value *unset = e.b.getFalse();
    for (llvm::Value *owner : owners)
      unset = e.b.CreateOr(unset, e.b.CreateIsNull(owner));
    e.trapIf(unset, v.span, "AttributeError",
             "attribute '" + v.name + "' is not assigned yet: assign it in __init__");
  }
  Parts parts = place.parts();
  e.owners().keep(v, std::move(owners));
  return parts;
}

void emitInstanceStore(Emitter &e, Value &v) {
  Value &instance = *v.operands[0], &value = *v.operands[2];
  Place place(e, instance, v.name);
  Kept now = convertForStorage(e, value, place.type());
  e.owners().retain(now.owners);
  OwnerList before = place.owners();
  place.store(now);
  e.owners().release(before);
}

} // namespace heddle::python
