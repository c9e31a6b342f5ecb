// The calls that make lists, dicts and sets; what the methods of dicts and sets in heddle/host_library are written upon.

#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

Type typeNew(CallTyping &t) {
  t.call().opcode = Opcode(t.row().data);
  t.call().operands[0]->opcode = Opcode::Constant; // it is used, though no call of it is left
  t.call().operands.clear();
  t.call().operandSpans.clear();
  t.call().library = nullptr;
  return {};
}
Parts emitNothing(CallEmission &) { return {}; }

/// The number of a field; the array is the last.
unsigned fieldNumber(const LibraryRow &row, Type table) {
  return std::min<unsigned>(row.data, unsigned(table->element->elements.size()) - 1);
}
Type typeField(CallTyping &t) {
  return t.type(0)->element->elements[fieldNumber(t.row(), t.type(0))];
}
Parts emitField(CallEmission &c) {
  return fieldOfTable(c.e, c.call, *c.argument(0), fieldNumber(c.row, c.argument(0)->type));
}

Type typeEmpty(CallTyping &t) {
  t.needInteger(1);
  return t.type(0);
}
Parts emitEmpty(CallEmission &c) { return emitTable(c.e, c.call, c.scalar(1, int64Type())); }

Type typeExchange(CallTyping &) { return noneType(); }
Parts emitExchange(CallEmission &c) {
  exchangeFields(c.e, *c.argument(0), *c.argument(1), c.row.data);
  return {};
}

/// Whether a key is one of a table's, converted: integers to those of another width, too, as in numba. A float is no key
/// of a table of integers: it would lose its fraction.
bool isKeyOf(Type given, Type key) {
  if (given.isInteger() && key.isInteger())
    return true;
  if (!given.isTuple() || !key.isTuple())
    return convertible(given, key) && unify(given, key) == key;
  return convertible(given, key) &&
         llvm::all_of(llvm::zip(given->elements, key->elements), [](const auto &pair) {
           return isKeyOf(std::get<0>(pair), std::get<1>(pair));
         });
}

/// A key as the table has it.
Type typeKey(CallTyping &t) {
  Type key = t.type(0)->elements[0], given = t.type(1);
  if (!isKeyOf(given, key))
    t.failAt(1, "the keys of " + t.type(0).name() + " cannot be " + given.name());
  return key;
}
Parts emitKey(CallEmission &c) {
  Value &key = *c.argument(1);
  c.e.owners().borrow(c.call,
                      c.e.owners().converted(key, c.call.type)); // the key's, not the table's
  return convert(c.e, c.e.parts(key), key.type, c.call.type);
}

Type typeHash(CallTyping &) { return int64Type(); }
Parts emitHash(CallEmission &c) {
  return {hashOf(c.e, c.argument(1)->type, c.e.parts(*c.argument(1)))};
}

constexpr unsigned lastField = unsigned(-1);

/// A row that writes to both of two containers.
consteval LibraryRow exchanging(LibraryRow row) { return writing(writing(row, "self"), "other"); }

constexpr LibraryRow rows[] = {
    classOf({"builtins.list", "(items=)", "A list, empty or of the items of an iterable.", typeNew,
             emitNothing, unsigned(Opcode::List)},
            [](Type t) { return (t.isList() && !t.isShared()) || isLiteralList(t); }),
    classOf({"builtins.dict", "(items=)", "A dict, empty or of an iterable of pairs.", typeNew,
             emitNothing, unsigned(Opcode::Dict)},
            [](Type t) { return t.isDict() || isLiteralDict(t); }),
    classOf({"builtins.set", "(items=)", "A set, empty or of the items of an iterable.", typeNew,
             emitNothing, unsigned(Opcode::Set)},
            [](Type t) { return t.isSet(); }),
    {"dict._keys", "(self)", "The keys in insertion order, including deleted ones.", typeField,
     emitField, 0},
    {"dict._values", "(self)", "The values, in the order of the keys.", typeField, emitField, 1},
    {"dict._places", "(self)", "The table of positions of the keys, by hash.", typeField, emitField,
     lastField},
    {"dict._empty", "(self, places)", "An empty dict of the same type, with room for keys.",
     typeEmpty, emitEmpty},
    exchanging({"dict._exchange", "(self, other)", "Swaps the contents of two dicts.", typeExchange,
                emitExchange, false}),
    exchanging({"dict._exchange_places", "(self, other)", "Swaps the position tables of two dicts.",
                typeExchange, emitExchange, true}),
    {"dict._key", "(self, key)", "Converts a key to the dict's key type.", typeKey, emitKey},
    {"dict._hash", "(self, key)", "The hash of a key.", typeHash, emitHash},
    {"set._keys", "(self)", "The items.", typeField, emitField, 0},
    {"set._places", "(self)", "The table of positions of the items, by hash.", typeField, emitField,
     lastField},
    {"set._empty", "(self, places)", "An empty set of the same type, with room for items.",
     typeEmpty, emitEmpty},
    exchanging({"set._exchange", "(self, other)", "Swaps the contents of two sets.", typeExchange,
                emitExchange, false}),
    exchanging({"set._exchange_places", "(self, other)", "Swaps the position tables of two sets.",
                typeExchange, emitExchange, true}),
    {"set._key", "(self, key)", "Converts an item to the set's item type.", typeKey, emitKey},
    {"set._hash", "(self, key)", "The hash of an item.", typeHash, emitHash},
};

} // namespace

llvm::ArrayRef<LibraryRow> tableLibrary() {
  static constexpr auto table = eachOf(rows, onHost);
  return table;
}

} // namespace heddle::python
