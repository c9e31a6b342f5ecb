// Types of dicts and sets. Their operators are functions of heddle/host_library.

#include "frontend/python/infer/visits.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

const char *nounOf(const Value &table) { return table.opcode == Opcode::Dict ? "dict" : "set"; }

/// Adds `own` to what is known of the keys, the values or the items of `table`.
void join(FunctionTyping &t, const Value &table, const char *what, Type &known, Type own) {
  if (!own)
    return;
  Type both = unify(known, own);
  if (!both)
    t.error(table,
            "the " + std::string(what) + " of this " + nounOf(table) + " cannot be both " +
                known.name() + " and " + own.name(),
            "", std::string("the ") + what + " of a " + nounOf(table) + " have one type");
  known = both;
}

void checkKey(FunctionTyping &t, const Value &table, const char *what, Type key) {
  if (!isKey(key))
    t.error(table, std::string("the ") + what + " of a " + nounOf(table) +
                       " are numbers, strings, dates and tuples of these, not " + key.name());
}

} // namespace

bool visitDict(FunctionTyping &t, Value &v) {
  if (std::optional<bool> ofSeveralTypes = visitLiteralDict(t, v))
    return *ofSeveralTypes;
  Type key, value, otherwise;
  for (const Put &put : putInto(t, v)) {
    Type own = chosenPut(t, put).type;
    if (v.shared && ((put.as == PutAs::Key && key) || (put.as == PutAs::Entry && value)))
      continue; // the first decide what a typed dict holds
    if (put.as == PutAs::Key)
      join(t, v, "keys", key, own);
    else if (put.as == PutAs::Entry)
      join(t, v, "values", value, own);
    else if (put.as == PutAs::Otherwise && !own.is(TypeKind::None))
      otherwise = unify(otherwise, own);
    else if (put.as == PutAs::Items && own.isDict()) {
      join(t, v, "keys", key, own->elements[0]);
      join(t, v, "values", value, own->elements[1]);
    }
  }
  if (!value)
    value = otherwise;
  if (!key || !value)
    return false;
  checkKey(t, v, "keys", key);
  if (v.shared && !isSharedElement(value))
    failSharedElement(t, v, "typed dict", value);
  bool isList =
      value.isList() && !value.isShared(); // of lists it is a dict to Python, too, and to objmode
  if (isSharedElement(withTexts(value)) && !isList)
    return setType(v, sharedDictType(withTexts(key), withTexts(value)));
  if (!isListElement(value))
    t.error(v, "the values of a dict are numbers, strings, arrays, lists, dicts, sets and tuples "
               "of these, not " +
                   value.name());
  return setType(v, dictType(key, value));
}

bool visitSet(FunctionTyping &t, Value &v) {
  Type item;
  for (const Put &put : putInto(t, v))
    if (put.as == PutAs::Item)
      join(t, v, "items", item, chosenPut(t, put).type);
    else if (put.as == PutAs::Items)
      join(t, v, "items", item, itemOf(put.value().type));
  if (!item)
    return false;
  checkKey(t, v, "items", item);
  return setType(v, setOf(item));
}

void failUntypedTable(const FunctionTyping &t, const Value &table) {
  t.error(table, std::string("the type of what this ") + nounOf(table) + " will hold is not known",
          "",
          table.opcode == Opcode::Dict ? "assign to a key of it in this function: d[key] = value"
                                       : "add an item to it in this function");
}

std::optional<bool> visitTableBinary(FunctionTyping &t, Value &v) {
  if (!v.operands[0]->type.isSet() || !v.operands[1]->type.isSet())
    return {};
  switch (BinaryOp(v.op)) {
  case BinaryOp::Or:
    return becomesListCall(t, v, v.inPlace ? "set.__ior__" : "set.union");
  case BinaryOp::And:
    return becomesListCall(t, v, v.inPlace ? "set.__iand__" : "set.intersection");
  case BinaryOp::Sub:
    return becomesListCall(t, v, v.inPlace ? "set.__isub__" : "set.difference");
  case BinaryOp::Xor:
    return becomesListCall(t, v, v.inPlace ? "set.__ixor__" : "set.symmetric_difference");
  default:
    return {};
  }
}

std::optional<bool> visitTableCompare(FunctionTyping &t, Value &v) {
  Type a = v.operands[0]->type, b = v.operands[1]->type;
  CompareOp op = CompareOp(v.op);
  if (b.isTable() && (op == CompareOp::In || op == CompareOp::NotIn)) {
    v.operands = {v.operands[1], v.operands[0]};
    v.operandSpans.clear();
    std::string name = methodsOf(b) + (op == CompareOp::In ? "__contains__" : "_lacks");
    return becomesListCall(t, v, name.c_str());
  }
  if (isLiteralDict(b) && (op == CompareOp::In || op == CompareOp::NotIn)) {
    v.operands[1] = keysOfLiteralDict(t, v, b);
    return visitCompare(t, v);
  }
  if (!a.isTable() || a.kind() != b.kind())
    return {};
  const char *name = nullptr;
  switch (op) {
  case CompareOp::Eq:
    name = "__eq__";
    break;
  case CompareOp::Ne:
    name = "__ne__";
    break;
  case CompareOp::Le:
    name = "issubset";
    break;
  case CompareOp::Ge:
    name = "issuperset";
    break;
  case CompareOp::Lt:
    name = "__lt__";
    break;
  case CompareOp::Gt:
    name = "__gt__";
    break;
  default:
    return {};
  }
  std::string method = methodsOf(a) + name;
  bool isOfBoth = op == CompareOp::Eq || op == CompareOp::Ne;
  return a.isSet() || isOfBoth ? std::optional(becomesListCall(t, v, method.c_str()))
                               : std::nullopt;
}

bool visitTableIndex(FunctionTyping &t, Value &v) {
  if (v.operands[0]->type.isSet())
    t.error(v, "a set has no items by index", v.operands[0]->type.name(), "loop over it");
  return becomesListCall(t, v, "dict.__getitem__");
}

bool visitTableStore(FunctionTyping &t, Value &v) {
  if (v.operands[0]->type.isSet())
    t.error(v, "a set has no items by index", v.operands[0]->type.name(), "call its method add");
  return becomesListCall(t, v, "dict.__setitem__");
}

Value *keysInOrder(FunctionTyping &t, Value &at, Value &table) {
  Value *function = t.insertBefore(at, Opcode::Constant, at.span, {});
  function->constant = t.libraryFunction(methodsOf(table.type) + "_ordered");
  t.visit(*function);
  Value *keys = t.insertBefore(at, Opcode::Call, at.span, {function, &table});
  t.visit(*keys);
  return keys;
}

void goOverKeys(FunctionTyping &t, Value &count, Value *table) {
  Value *iterable = count.operands[0];
  bool isLiteral = isLiteralDict(table->type);
  Value *keys =
      isLiteral ? keysOfLiteralDict(t, count, table->type) : keysInOrder(t, count, *table);
  count.operands = {keys};
  if (!isLiteral)
    count.operands.push_back(table);
  for (const auto &block : t.function.blocks)
    for (Value *v : block->values)
      if (v->opcode == Opcode::IterValue && v->name == count.name && v->operands[0] == iterable)
        v->operands[0] = keys;
}

} // namespace heddle::python
