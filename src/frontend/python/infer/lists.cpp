// Types of lists.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/iteration.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace heddle::python {
namespace {

/// What a list can hold.
bool isListElement(Type type) {
  if (type.isTuple())
    return llvm::all_of(type->elements, isListElement);
  if (type.is(TypeKind::Optional))
    return isListElement(type->element);
  return type.isArray() || type.isList() || type.isScalar() || type.isComplex() || type.isTime() ||
         type.isEnumMember() || type == textType();
}

/// Whether a value is the list `list`, perhaps by way of merges.
bool isList(const Value &v, const Value &list, std::set<const Value *> &seen) {
  if (&v == &list)
    return true;
  return v.opcode == Opcode::Phi && seen.insert(&v).second &&
         llvm::any_of(v.operands,
                      [&](const Value *operand) { return isList(*operand, list, seen); });
}

/// What a call puts into `list`; null where it puts nothing there.
const Value *putInto(const Value &call, const Value &list) {
  if (call.opcode != Opcode::Call)
    return nullptr;
  const Value &function = *call.operands[0];
  // Before it is typed, the list is in the attribute; then it is the first argument.
  bool isTyped = function.opcode == Opcode::Constant;
  if (!isTyped && function.opcode != Opcode::Attribute)
    return nullptr;
  if (isTyped && (!function.constant || !function.constant->text.starts_with("list.")))
    return nullptr;
  std::string name = isTyped ? function.constant->text.substr(5) : function.name;
  size_t item = (isTyped ? 2 : 1) + (name == "insert");
  if ((name != "append" && name != "insert" && name != "extend") || call.operands.size() <= item)
    return nullptr;
  std::set<const Value *> seen;
  return isList(isTyped ? *call.operands[1] : *function.operands[0], list, seen)
             ? call.operands[item]
             : nullptr;
}

/// The type that the elements of an empty list have by what the function puts into it; unknown while nothing of that has
/// a type.
Type elementByUse(FunctionTyping &t, const Value &list) {
  Type element;
  for (const auto &block : t.function.blocks)
    for (const Value *call : block->values) {
      const Value *item = putInto(*call, list);
      if (!item || !item->type)
        continue;
      bool isExtend =
          call->operands[0]->name == "extend" ||
          (call->operands[0]->constant && call->operands[0]->constant->text == "list.extend");
      Type own = isExtend ? (isIterable(item->type) && !needsUnrolling(item->type)
                                 ? itemType(item->type, std::nullopt)
                                 : Type())
                          : item->type;
      if (!own)
        continue;
      Type both = unify(element, own);
      if (!both)
        t.error(list, "this list cannot hold both " + element.name() + " and " + own.name(), "",
                "the elements of a list have one type");
      element = both;
    }
  return element;
}

} // namespace

bool visitList(FunctionTyping &t, Value &v) {
  Type element;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    Type both = unify(element, v.operands[i]->type);
    if (!both)
      t.errorAt(
          v, i,
          "this list cannot hold both " + element.name() + " and " + describeType(*v.operands[i]),
          describeType(*v.operands[i]), "the elements of a list have one type: write a tuple");
    element = both;
  }
  if (v.operands.empty() && !(element = elementByUse(t, v)))
    return false;
  if (!isListElement(element))
    t.error(v, "lists hold numbers, strings, arrays, lists and tuples of these, not " +
                   element.name());
  return setType(v, listType(element));
}

void checkLists(const FunctionTyping &t) {
  for (auto &block : t.function.blocks)
    for (Value *v : block->values)
      if (block->reachable && v->opcode == Opcode::List && !v->type)
        t.error(*v, "the type of what this list will hold is not known", "",
                "append to it in this function, or start it with an element");
}

Type elementOfList(FunctionTyping &t, const Value &v) {
  Type index = v.operands[1]->type;
  if (!index.isInteger() && !index.isBool())
    t.errorAt(v, 1, "the index of a list must be an integer or a slice", index.name());
  return v.operands[0]->type->element;
}

bool becomesListCall(FunctionTyping &t, Value &v, const char *function) {
  Value *named = t.insertBefore(v, Opcode::Constant, v.span, {});
  named->constant = t.libraryFunction(function);
  t.visit(*named);
  std::vector<Span> spans{v.span};
  for (size_t i = 0; i < v.operands.size(); ++i)
    spans.push_back(v.spanOf(i));
  v.opcode = Opcode::Call;
  v.operands.insert(v.operands.begin(), named);
  v.operandSpans = std::move(spans);
  return t.visit(v);
}

bool visitSliceCall(FunctionTyping &t, Value &v, const char *function) {
  Value &slice = *v.operands[1];
  if (slice.opcode != Opcode::Slice)
    t.error(slice, "a slice of a list or a string must be written in the brackets");
  std::vector<Value *> parts = slice.operands;
  v.operands.pop_back();
  v.operands.insert(v.operands.end(), parts.begin(), parts.end());
  v.operandSpans.clear();
  return becomesListCall(t, v, function);
}

} // namespace heddle::python
