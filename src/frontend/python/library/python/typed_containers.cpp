// Constructors of numba.typed lists and dicts and of jitclass instances; primitives for their methods; addresses of
// containers.

#include "frontend/python/emit/containers/instances.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/owners.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/types/promotion.h"

namespace heddle::python {
namespace {

/// A new container, whose type follows from the items that are added to it.
Type replaceByEmptyLiteral(CallTyping &t) {
  t.call().shared = true;
  replaceWithOperator(t, Opcode(t.row().data), 0, {}, {});
  return {};
}

/// The type that argument `i` names. As in numba, a value such as another empty container stands for its type.
Type parseTypeArgument(CallTyping &t, unsigned i, const char *what) {
  const Constant *c = t.constant(i);
  if (!c || c->kind != ConstantKind::Type) {
    if (Type own = toRuntimeStringTypes(t.type(i)); canBeTypedContainerElement(own))
      return own;
    t.failAt(i, std::string(what) + " is a type known at compile time, such as types.int64",
             "make a type like types.float64[:] a global variable, outside of the function");
  }
  if (!canBeTypedContainerElement(c->type))
    t.failAt(i, "a typed container does not hold " + c->type.name());
  if (hasUndefinedDeferred(c->type))
    t.failAt(i, "this type is one of deferred_type() that is not defined yet",
             "call its method define() before this function is compiled");
  return resolveDeferred(c->type);
}

Type typeEmptyList(CallTyping &t) {
  return typedListType(parseTypeArgument(t, 0, "the type of the items"));
}
Type typeEmptyListLike(CallTyping &t) { return t.type(0); }
/// A list that holds the items of both lists. Typed lists keep their type.
Type typeConcatenatedList(CallTyping &t) {
  Type a = t.type(0), b = t.type(1);
  if (a.isShared() || a == b)
    return a;
  if (Type both = unify(a->element, b->element))
    return listType(both);
  t.fail("no list holds both " + a->element.name() + " and " + b->element.name(),
         "convert the items of one list");
}
Parts emitEmptyList(CallEmission &c) {
  llvm::Value *owner = allocateList(c.e, c.call.type->element, 0);
  c.e.owners().takeOverReferences(c.call, {owner});
  return {owner};
}

Type typeEmptyDict(CallTyping &t) {
  Type key = parseTypeArgument(t, 0, "key_type");
  return typedDictType(key, parseTypeArgument(t, 1, "value_type"));
}
Parts emitEmptyDict(CallEmission &c) {
  return emitEmptyDictOrSet(c.e, c.call, c.e.int64(smallestTable));
}

Type typeNewJitclassInstance(CallTyping &t) {
  return parseTypeArgument(t, 0, "the type of an instance");
}
Parts emitNewJitclassInstance(CallEmission &c) { return emitNewInstance(c.e, c.call); }

Type typeAddress(CallTyping &) { return int64Type(); }
Parts emitAddress(CallEmission &c) {
  return {c.b.CreatePtrToInt(c.e.parts(*c.argument(0))[0], c.b.getInt64Ty())};
}

constexpr LibraryRow rows[] = {
    forClass({"typed.List", "(iterable=)", "A typed list, empty or of the items of an iterable.",
              replaceByEmptyLiteral, emitNoValue, unsigned(Opcode::List)},
             [](Type t) { return t.isList() && t.isShared(); }),
    {"typed.List.empty_list", "(item_type, allocated=)", "An empty typed list with this item type.",
     typeEmptyList, emitEmptyList},
    forClass({"typed.Dict", "(iterable=)", "A typed dict, empty or of an iterable of pairs.",
              replaceByEmptyLiteral, emitNoValue, unsigned(Opcode::Dict)},
             [](Type t) { return t.isDict() && t.isShared(); }),
    {"typed.Dict.empty", "(key_type, value_type, n_keys=)",
     "An empty typed dict with these key and value types.", typeEmptyDict, emitEmptyDict},
    {"experimental._new", "(instance_type)", "An instance without attributes.",
     typeNewJitclassInstance, emitNewJitclassInstance},
    {"list._address", "(self)", "The address of the list, for Python.", typeAddress, emitAddress},
    {"dict._address", "(self)", "The address of the dict, for Python.", typeAddress, emitAddress},
    {"set._address", "(self)", "The address of the set, for Python.", typeAddress, emitAddress},
    {"list._empty", "(self)", "An empty list of the same type.", typeEmptyListLike, emitEmptyList},
    {"list._empty_for_both", "(self, other)",
     "An empty list that can hold the items of both lists.", typeConcatenatedList, emitEmptyList},
};

} // namespace

llvm::ArrayRef<LibraryRow> typedContainerLibrary() {
  static constexpr auto table = mapRows(rows, hostOnly, withKnownEffects);
  return table;
}

} // namespace heddle::python
