// What makes lists and dicts of numba.typed and instances of classes of jitclass; what their methods are written upon;
// where containers are.

#include "frontend/python/emit/containers/instances.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/owners.h"

namespace heddle::python {
namespace {

/// An empty one, whose type follows from what is put into it.
Type typeNew(CallTyping &t) {
  t.call().opcode = Opcode(t.row().data);
  t.call().shared = true;
  t.call().operands[0]->opcode = Opcode::Constant; // it is used, though no call of it is left
  t.call().operands.clear();
  t.call().operandSpans.clear();
  t.call().library = nullptr;
  return {};
}
Parts emitNothing(CallEmission &) { return {}; }

/// The type that argument `i` names.
Type namedType(CallTyping &t, unsigned i, const char *what) {
  const Constant *c = t.constant(i);
  if (!c || c->kind != ConstantKind::Type)
    t.failAt(i, std::string(what) + " is a type that is known while compiling, such as types.int64",
             "make a type like types.float64[:] a global variable, outside of the function");
  if (!isSharedElement(c->type))
    t.failAt(i, "a typed container does not hold " + c->type.name());
  if (isUndefined(c->type))
    t.failAt(i, "this type is one of deferred_type() that is not defined yet",
             "call its method define() before this function is compiled");
  return resolved(c->type);
}

Type typeEmptyList(CallTyping &t) {
  return sharedListType(namedType(t, 0, "the type of the items"));
}
Type typeSameList(CallTyping &t) { return t.type(0); }
Parts emitEmptyList(CallEmission &c) {
  llvm::Value *owner = newList(c.e, c.call.type->element, 0);
  c.e.owners().hold(c.call, {owner});
  return {owner};
}

Type typeEmptyDict(CallTyping &t) {
  Type key = namedType(t, 0, "key_type");
  return sharedDictType(key, namedType(t, 1, "value_type"));
}
Parts emitEmptyDict(CallEmission &c) { return emitTable(c.e, c.call, c.e.int64(smallestTable)); }

Type typeNewInstance(CallTyping &t) { return namedType(t, 0, "the type of an instance"); }
Parts emitNew(CallEmission &c) { return emitNewInstance(c.e, c.call); }

Type typeAddress(CallTyping &) { return int64Type(); }
Parts emitAddress(CallEmission &c) {
  return {c.b.CreatePtrToInt(c.e.parts(*c.argument(0))[0], c.b.getInt64Ty())};
}

constexpr LibraryRow rows[] = {
    classOf({"typed.List", "(iterable=)", "A typed list, empty or of the items of an iterable.",
             typeNew, emitNothing, unsigned(Opcode::List)},
            [](Type t) { return t.isList() && t.isShared(); }),
    {"typed.List.empty_list", "(item_type, allocated=)", "An empty typed list with this item type.",
     typeEmptyList, emitEmptyList},
    classOf({"typed.Dict", "(iterable=)", "A typed dict, empty or of an iterable of pairs.",
             typeNew, emitNothing, unsigned(Opcode::Dict)},
            [](Type t) { return t.isDict() && t.isShared(); }),
    {"typed.Dict.empty", "(key_type, value_type, n_keys=)",
     "An empty typed dict with these key and value types.", typeEmptyDict, emitEmptyDict},
    {"experimental._new", "(instance_type)", "An instance without attributes.", typeNewInstance,
     emitNew},
    {"list._address", "(self)", "The address of the list, for Python.", typeAddress, emitAddress},
    {"dict._address", "(self)", "The address of the dict, for Python.", typeAddress, emitAddress},
    {"set._address", "(self)", "The address of the set, for Python.", typeAddress, emitAddress},
    {"list._empty", "(self)", "An empty list of the same type.", typeSameList, emitEmptyList},
};

} // namespace

llvm::ArrayRef<LibraryRow> typedContainerLibrary() {
  static constexpr auto table = eachOf(rows, onHost);
  return table;
}

} // namespace heddle::python
