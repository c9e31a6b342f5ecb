// Types of dicts and sets. Functions of heddle/host_library implement their operators.

#include "frontend/python/infer/visits.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

const char *dictOrSetNoun(const Value &table) {
  return table.opcode == Opcode::Dict ? "dict" : "set";
}

/// Merges `own` into the known type of the keys, values or items of `table`.
void mergeKeyOrItemType(FunctionTyping &t, const Value &table, const char *what, Type &known,
                        Type own) {
  if (!own)
    return;
  Type both = unify(known, own);
  if (!both)
    t.error(table,
            "the " + std::string(what) + " of this " + dictOrSetNoun(table) + " cannot be both " +
                known.name() + " and " + own.name(),
            "", std::string("the ") + what + " of a " + dictOrSetNoun(table) + " have one type");
  known = both;
}

void checkKeyType(FunctionTyping &t, const Value &table, const char *what, Type key) {
  if (!isKeyType(key))
    t.error(table, std::string("the ") + what + " of a " + dictOrSetNoun(table) +
                       " are numbers, strings, dates and tuples of these, not " + key.name());
}

/// Removes `view`, a call of a dict's method, if it is unused.
void removeViewIfUnused(FunctionTyping &t, Value &view) {
  for (const auto &block : t.function.blocks)
    for (const Value *user : block->values)
      if (llvm::is_contained(user->operands, &view))
        return;
  view.opcode = Opcode::Constant;
  view.operands.clear();
  view.library = nullptr;
  view.callee = nullptr;
  view.type = noneType();
  view.constant = Constant{.kind = ConstantKind::None};
}

/// The method that iterates over the current contents of `view` without a copy.
std::string iterationMethod(llvm::StringRef view) {
  return view == "dict.keys"     ? "dict._ordered"
         : view == "dict.values" ? "dict._stored"
                                 : "dict._entries";
}

Value *insertCallBefore(FunctionTyping &t, Value &at, const std::string &method, Value &table) {
  return t.insertCall(at, at.span, *t.findLibraryFunction(method), {&table});
}

} // namespace

const Value *findDictOfView(const Value &view) {
  bool isMethod = view.opcode == Opcode::Call && view.operands.size() == 2 &&
                  view.operands[1]->type.isDict() && view.operands[0]->constant;
  if (!isMethod)
    return nullptr;
  const std::string &name = view.operands[0]->constant->text;
  bool isView = name == "dict.items" || name == "dict.keys" || name == "dict.values";
  return isView ? view.operands[1] : nullptr;
}

void replaceViewWithDict(FunctionTyping &t, Value &user, size_t i,
                         std::initializer_list<llvm::StringRef> views) {
  Value *view = user.operands[i];
  if (!findDictOfView(*view) || !llvm::is_contained(views, view->operands[0]->constant->text))
    return;
  user.operands[i] = view->operands[1];
  removeViewIfUnused(t, *view);
}

bool visitDict(FunctionTyping &t, Value &v) {
  if (std::optional<bool> ofSeveralTypes = visitLiteralDict(t, v))
    return *ofSeveralTypes;
  Type key, value, otherwise;
  for (const Put &put : findValuesPutInto(t, v)) {
    Type own = convertFunctionPutIntoContainer(t, put).type;
    if (v.shared && ((put.as == PutAs::Key && key) || (put.as == PutAs::Entry && value)))
      continue; // the first entry determines the types of a typed dict
    if (put.as == PutAs::Key)
      mergeKeyOrItemType(t, v, "keys", key, own);
    else if (put.as == PutAs::Entry)
      mergeKeyOrItemType(t, v, "values", value, own);
    else if (put.as == PutAs::Default && !own.is(TypeKind::None))
      otherwise = unify(otherwise, own);
    else if (put.as == PutAs::Items && own.isDict()) {
      mergeKeyOrItemType(t, v, "keys", key, own->elements[0]);
      mergeKeyOrItemType(t, v, "values", value, own->elements[1]);
    }
  }
  if (!value)
    value = otherwise;
  if (!key || !value)
    return false;
  checkKeyType(t, v, "keys", key);
  if (v.shared && !canBeTypedContainerElement(value))
    failUnsupportedTypedElement(t, v, "typed dict", value);
  bool isList =
      value.isList() && !value.isShared(); // with lists, it is a dict for Python and objmode too
  if (canBeTypedContainerElement(toRuntimeStringTypes(value)) && !isList)
    return setType(v, typedDictType(toRuntimeStringTypes(key), toRuntimeStringTypes(value)));
  if (!isListElement(value))
    t.error(v, "the values of a dict are numbers, strings, arrays, lists, dicts, sets and tuples "
               "of these, not " +
                   value.name());
  return setType(v, dictType(key, value));
}

bool visitSet(FunctionTyping &t, Value &v) {
  Type item;
  for (const Put &put : findValuesPutInto(t, v))
    if (put.as == PutAs::Item)
      mergeKeyOrItemType(t, v, "items", item, convertFunctionPutIntoContainer(t, put).type);
    else if (put.as == PutAs::Items)
      mergeKeyOrItemType(t, v, "items", item, commonItemType(put.value().type));
  if (!item)
    return false;
  checkKeyType(t, v, "items", item);
  return setType(v, hashSetType(item));
}

void failUnknownTableType(const FunctionTyping &t, const Value &table) {
  t.error(table,
          std::string("the type of what this ") + dictOrSetNoun(table) + " will hold is not known",
          "",
          table.opcode == Opcode::Dict ? "assign to a key of it in this function: d[key] = value"
                                       : "add an item to it in this function");
}

std::optional<bool> visitTableBinary(FunctionTyping &t, Value &v) {
  if (!v.operands[0]->type.isSet() || !v.operands[1]->type.isSet())
    return {};
  switch (BinaryOp(v.op)) {
  case BinaryOp::Or:
    return replaceWithCallOf(t, v, v.inPlace ? "set.__ior__" : "set.union");
  case BinaryOp::And:
    return replaceWithCallOf(t, v, v.inPlace ? "set.__iand__" : "set.intersection");
  case BinaryOp::Sub:
    return replaceWithCallOf(t, v, v.inPlace ? "set.__isub__" : "set.difference");
  case BinaryOp::Xor:
    return replaceWithCallOf(t, v, v.inPlace ? "set.__ixor__" : "set.symmetric_difference");
  default:
    return {};
  }
}

std::optional<bool> visitTableCompare(FunctionTyping &t, Value &v) {
  CompareOp op = CompareOp(v.op);
  if (op == CompareOp::In || op == CompareOp::NotIn)
    replaceViewWithDict(t, v, 1, {"dict.keys"});
  Type a = v.operands[0]->type, b = v.operands[1]->type;
  if (b.isTable() && (op == CompareOp::In || op == CompareOp::NotIn)) {
    v.operands = {v.operands[1], v.operands[0]};
    v.operandSpans.clear();
    std::string name =
        libraryPrefixOfMethods(b) + (op == CompareOp::In ? "__contains__" : "_lacks");
    return replaceWithCallOf(t, v, name);
  }
  if (isLiteralDict(b) && (op == CompareOp::In || op == CompareOp::NotIn)) {
    v.operands[1] = insertTupleOfLiteralDictKeys(t, v, b);
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
  std::string method = libraryPrefixOfMethods(a) + name;
  bool isOfBoth = op == CompareOp::Eq || op == CompareOp::Ne;
  return a.isSet() || isOfBoth ? std::optional(replaceWithCallOf(t, v, method)) : std::nullopt;
}

bool visitTableIndex(FunctionTyping &t, Value &v) {
  if (v.operands[0]->type.isSet())
    t.error(v, "a set has no items by index", v.operands[0]->type.name(), "loop over it");
  return replaceWithCallOf(t, v, "dict.__getitem__");
}

bool visitTableStore(FunctionTyping &t, Value &v) {
  if (v.operands[0]->type.isSet())
    t.error(v, "a set has no items by index", v.operands[0]->type.name(), "call its method add");
  return replaceWithCallOf(t, v, "dict.__setitem__");
}

void iterateOverSnapshot(FunctionTyping &t, Value &user, size_t i) {
  Value *written = user.operands[i], *over = written;
  const Value *dict = findDictOfView(*written);
  if (isLiteralDict(written->type))
    over = insertTupleOfLiteralDictKeys(t, user, written->type);
  else if (written->type.isTable())
    over = insertCallBefore(t, user, libraryPrefixOfMethods(written->type) + "_ordered", *written);
  else if (dict)
    over = insertCallBefore(t, user, iterationMethod(written->operands[0]->constant->text),
                            *written->operands[1]);
  if (over == written)
    return;
  user.operands[i] = over;
  // An optional is unwrapped at its use, but the loop's items still refer to the original iterable.
  const Value *unwrapped = written->opcode == Opcode::Unwrap ? written->operands[0] : written;
  for (const auto &block : t.function.blocks)
    for (Value *v : block->values)
      if (v->opcode == Opcode::IterValue && v->name == user.name &&
          (v->operands[0] == written || v->operands[0] == unwrapped) &&
          user.opcode == Opcode::IterCount)
        v->operands[0] = over;
  if (dict)
    removeViewIfUnused(t, *written);
}

} // namespace heddle::python
