// Constructors of lists, dicts and sets, and the primitives for heddle/host_library's methods of dicts and sets.

#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

Type replaceByEmptyLiteral(CallTyping &t) {
  replaceWithOperator(t, Opcode(t.row().data), 0, {}, {});
  return {};
}

/// The number of a field; the array is the last.
unsigned fieldNumber(const LibraryRow &row, Type table) {
  return std::min<unsigned>(row.data, unsigned(table->element->elements.size()) - 1);
}
Type typeLoadField(CallTyping &t) {
  return t.type(0)->element->elements[fieldNumber(t.row(), t.type(0))];
}
Parts emitLoadField(CallEmission &c) {
  return loadTableField(c.e, c.call, *c.argument(0), fieldNumber(c.row, c.argument(0)->type));
}

Type typeEmptyTable(CallTyping &t) {
  t.requireInteger(1);
  return t.type(0);
}
Parts emitEmptyTable(CallEmission &c) {
  return emitEmptyDictOrSet(c.e, c.call, c.scalar(1, int64Type()));
}

Type typeSwapFields(CallTyping &) { return noneType(); }
Parts emitSwapFields(CallEmission &c) {
  swapTableFields(c.e, *c.argument(0), *c.argument(1), c.row.data);
  return {};
}

/// True if a key converts to a table's key type. As in numba, integers of other widths do. Floats do not convert to
/// integer keys, because they would lose their fraction.
bool convertsToKey(Type given, Type key) {
  if (given.isInteger() && key.isInteger())
    return true;
  if (!given.isTuple() || !key.isTuple())
    return isConvertible(given, key) && unify(given, key) == key;
  return isConvertible(given, key) &&
         llvm::all_of(llvm::zip(given->elements, key->elements), [](const auto &pair) {
           return convertsToKey(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Converts a key to the table's key type.
Type typeKeyConversion(CallTyping &t) {
  Type key = t.type(0)->elements[0], given = t.type(1);
  if (!convertsToKey(given, key))
    t.failAt(1, "the keys of " + t.type(0).name() + " cannot be " + given.name());
  return key;
}
Parts emitKeyConversion(CallEmission &c) {
  Value &key = *c.argument(1);
  // The key's owners, not the table's.
  c.e.owners().borrow(c.call, c.e.owners().convertedOwners(key, c.call.type));
  return convert(c.e, c.e.parts(key), key.type, c.call.type);
}

Type typeHash(CallTyping &) { return int64Type(); }
Parts emitHash(CallEmission &c) {
  return {computeHash(c.e, c.argument(1)->type, c.e.parts(*c.argument(1)))};
}

constexpr unsigned lastField = unsigned(-1);

/// A row that writes to both containers.
consteval LibraryRow withWritesToBoth(LibraryRow row) {
  return withWrites(withWrites(row, "self"), "other");
}

constexpr LibraryRow rows[] = {
    forClass({"builtins.list", "(items=)", "A list, empty or of the items of an iterable.",
              replaceByEmptyLiteral, emitNoValue, unsigned(Opcode::List)},
             [](Type t) { return (t.isList() && !t.isShared()) || isLiteralList(t); }),
    forClass({"builtins.dict", "(items=)", "A dict, empty or of an iterable of pairs.",
              replaceByEmptyLiteral, emitNoValue, unsigned(Opcode::Dict)},
             [](Type t) { return t.isDict() || isLiteralDict(t); }),
    forClass({"builtins.set", "(items=)", "A set, empty or of the items of an iterable.",
              replaceByEmptyLiteral, emitNoValue, unsigned(Opcode::Set)},
             [](Type t) { return t.isSet(); }),
    withMeaning({"dict._keys", "(self)", "The keys in insertion order, including deleted ones.",
                 typeLoadField, emitLoadField, 0},
                Meaning::Part),
    withMeaning({"dict._values", "(self)", "The values, in the order of the keys.", typeLoadField,
                 emitLoadField, 1},
                Meaning::Part),
    withMeaning({"dict._places", "(self)", "The table of positions of the keys, by hash.",
                 typeLoadField, emitLoadField, lastField},
                Meaning::Part),
    {"dict._empty", "(self, places)", "An empty dict of the same type, with room for keys.",
     typeEmptyTable, emitEmptyTable},
    withWritesToBoth({"dict._exchange", "(self, other)", "Swaps the contents of two dicts.",
                      typeSwapFields, emitSwapFields, false}),
    withWritesToBoth({"dict._exchange_places", "(self, other)",
                      "Swaps the position tables of two dicts.", typeSwapFields, emitSwapFields,
                      true}),
    {"dict._key", "(self, key)", "Converts a key to the dict's key type.", typeKeyConversion,
     emitKeyConversion},
    {"dict._hash", "(self, key)", "The hash of a key.", typeHash, emitHash},
    withMeaning({"set._keys", "(self)", "The items.", typeLoadField, emitLoadField, 0},
                Meaning::Part),
    withMeaning({"set._places", "(self)", "The table of positions of the items, by hash.",
                 typeLoadField, emitLoadField, lastField},
                Meaning::Part),
    {"set._empty", "(self, places)", "An empty set of the same type, with room for items.",
     typeEmptyTable, emitEmptyTable},
    withWritesToBoth({"set._exchange", "(self, other)", "Swaps the contents of two sets.",
                      typeSwapFields, emitSwapFields, false}),
    withWritesToBoth({"set._exchange_places", "(self, other)",
                      "Swaps the position tables of two sets.", typeSwapFields, emitSwapFields,
                      true}),
    {"set._key", "(self, key)", "Converts an item to the set's item type.", typeKeyConversion,
     emitKeyConversion},
    {"set._hash", "(self, key)", "The hash of an item.", typeHash, emitHash},
};

} // namespace

llvm::ArrayRef<LibraryRow> tableLibrary() {
  static constexpr auto table = mapRows(rows, hostOnly, withKnownEffects);
  return table;
}

} // namespace heddle::python
