// Types of lists.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_lists.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {

bool isListElement(Type type) {
  if (type.isTuple())
    return llvm::all_of(type->elements, isListElement);
  if (type.is(TypeKind::Optional))
    return isListElement(type->element);
  return type.isArray() || type.isContainer() || type.isScalar() || type.isComplex() ||
         type.isTime() || type.isEnumMember() || type == runtimeStringType() ||
         type.is(TypeKind::None) || type.is(TypeKind::Characters) || type.isChoice();
}

Type commonItemType(Type iterable) {
  if (iterable.isSet())
    return iterable->elements[0];
  bool isOfOneType = isIterable(iterable) && !needsUnrolling(iterable);
  return isOfOneType ? itemType(iterable, {}) : Type();
}

namespace {

/// The type that `put` gives to the items of a list; none if it adds no item.
Type itemTypeAddedBy(FunctionTyping &t, const Put &put) {
  Type type = convertFunctionPutIntoContainer(t, put).type;
  if (put.as == PutAs::Items)
    return commonItemType(type);
  return put.as == PutAs::Item ? type : Type();
}

/// The element type of an initially empty list, from the items that the function adds; unknown while they have no
/// types.
Type inferElementTypeFromUses(FunctionTyping &t, const Value &list) {
  Type element;
  for (const Put &put : findValuesPutInto(t, list)) {
    Type own = itemTypeAddedBy(t, put);
    if (!own || (list.shared && element)) // the first item determines the type of a typed list
      continue;
    Type both = unify(element, own);
    if (!both)
      t.error(list, "this list cannot hold both " + element.name() + " and " + own.name(), "",
              "the elements of a list have one type");
    element = both;
  }
  return element;
}

bool makesFirstTypeOptional(Type first, Type both) {
  return both.is(TypeKind::Optional) && !first.is(TypeKind::Optional) && !first.is(TypeKind::None);
}

/// The element type of a list whose literal items have type `first`. Numbers widen to the largest type that the
/// function appends, inserts or extends with. If an item does not fit, the call that adds it is the error.
Type widenElementType(FunctionTyping &t, const Value &list, Type first) {
  Type element = first;
  for (const Put &put : findValuesPutInto(t, list))
    if (Type own = itemTypeAddedBy(t, put))
      if (Type both = unify(element, own); both && !makesFirstTypeOptional(element, both))
        element = both;
  return element;
}

} // namespace

void failUnsupportedTypedElement(const FunctionTyping &t, const Value &v, const std::string &what,
                                 Type element) {
  t.error(v, "a " + what + " holds numbers, strings, arrays, records, typed lists, typed dicts, " +
                 "tuples of these, and lists of numbers, arrays and tuples of these, not " +
                 element.name());
}

namespace {

/// True if nothing is added to the list beyond its literal items.
bool isNeverExtended(FunctionTyping &t, const Value &list) {
  return !list.shared && !hasValuesPutInto(t, list);
}

bool convertToTuple(FunctionTyping &t, Value &list) {
  list.opcode = Opcode::Tuple;
  list.name = nameOfLiteralLists;
  return t.visit(list);
}

} // namespace

bool visitList(FunctionTyping &t, Value &v) {
  expandStarred(t, v, 0);
  convertFunctionsToTags(t, v);
  for (size_t i = 0; i < v.operands.size(); ++i)
    convertToString(t, v, i);
  Type element;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    Type both = unify(element, v.operands[i]->type);
    if (!both && isNeverExtended(t, v))
      return convertToTuple(t, v);
    if (!both)
      t.errorAt(
          v, i,
          "this list cannot hold both " + element.name() + " and " + describeType(*v.operands[i]),
          describeType(*v.operands[i]), "the elements of a list have one type: write a tuple");
    element = both;
  }
  if (v.operands.empty() && !(element = inferElementTypeFromUses(t, v)))
    return false;
  if (v.shared) {
    element = toRuntimeStringTypes(element);
    if (!canBeTypedContainerElement(element))
      failUnsupportedTypedElement(t, v, "typed list", element);
    return setType(v, typedListType(element));
  }
  if (!v.operands.empty())
    element = widenElementType(t, v, element);
  if (!isListElement(element))
    t.error(v, "lists hold numbers, strings, arrays, lists and tuples of these, not " +
                   element.name());
  return setType(v, listType(element));
}

void convertUnrolledListsToTuples(FunctionTyping &t, Value &call) {
  for (size_t i = 1; i < call.operands.size(); ++i) {
    Value &list = *call.operands[i];
    if (list.opcode != Opcode::List || !isNeverExtended(t, list))
      continue;
    call.operands[i] = t.insertBefore(call, Opcode::Tuple, call.spanOf(i), list.operands);
    t.visit(*call.operands[i]);
  }
}

void failIfContainersAreUntyped(const FunctionTyping &t) {
  for (auto &block : t.function.blocks)
    for (Value *v : block->values)
      if (block->reachable && !v->type) {
        if (v->opcode == Opcode::List)
          t.error(*v, "the type of the items of this list is not known", "",
                  "append to it in this function, or start it with an element");
        if (v->opcode == Opcode::Dict || v->opcode == Opcode::Set)
          failUnknownTableType(t, *v);
      }
}

Type listElementType(FunctionTyping &t, const Value &v) {
  Type index = v.operands[1]->type;
  if (!index.isInteger() && !index.isBool())
    t.errorAt(v, 1, "the index of a list must be an integer or a slice", index.name());
  return v.operands[0]->type->element;
}

bool replaceByCallWithSliceBounds(FunctionTyping &t, Value &v, const char *function) {
  Value &slice = *v.operands[1];
  if (slice.opcode != Opcode::Slice)
    t.error(slice, "a slice of a list or a string must be written in the brackets");
  std::vector<Value *> parts = slice.operands;
  v.operands.erase(v.operands.begin() + 1);
  v.operands.insert(v.operands.end(), parts.begin(), parts.end());
  v.operandSpans.clear();
  return replaceWithCallOf(t, v, function);
}

} // namespace heddle::python
