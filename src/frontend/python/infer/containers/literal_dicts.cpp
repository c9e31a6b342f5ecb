// Dicts with values of several types. A dict becomes a tuple if nothing is added to it beyond its literal entries.

#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/infer/visits.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

const std::string *constantString(const Value &v) {
  return v.constant && v.constant->kind == ConstantKind::String ? &v.constant->text : nullptr;
}

template <typename Visit> void forEachUse(FunctionTyping &t, const Value &v, Visit visit) {
  for (const auto &block : t.function.blocks)
    for (Value *user : block->values)
      for (size_t i = 0; i < user->operands.size(); ++i)
        if (user->operands[i] == &v)
          visit(*user, i);
}

/// The stores of the dict literal's entries, in order; none if a key is not a constant string.
std::vector<Value *> findLiteralEntries(FunctionTyping &t, const Value &dict) {
  std::vector<Value *> stores;
  bool known = true;
  forEachUse(t, dict, [&](Value &user, size_t) {
    if (!isLiteralEntry(dict, user))
      return;
    if (Value &key = *user.operands[1]; !key.type && key.opcode == Opcode::Constant)
      t.visit(key);
    known = known && constantString(*user.operands[1]);
    stores.push_back(&user);
  });
  return known ? stores : std::vector<Value *>();
}

/// True if the dict is only used to read values by constant keys.
bool isReadByKnownKeys(FunctionTyping &t, const Value &dict) {
  bool all = true;
  forEachUse(t, dict, [&](Value &user, size_t i) {
    bool reads = user.opcode == Opcode::Index && i == 0 &&
                 (constantString(*user.operands[1]) || !user.operands[1]->type);
    all = all && (reads || isLiteralEntry(dict, user));
  });
  return all;
}

bool replaceWithNone(FunctionTyping &t, Value &v) {
  v.opcode = Opcode::Constant;
  v.constant = Constant();
  v.operands.clear();
  v.operandSpans.clear();
  return t.visit(v);
}

/// Makes the last store the tuple, because all values are defined at that point.
void replaceWithTuple(FunctionTyping &t, Value &dict, const std::vector<Value *> &stores) {
  Value &tuple = *stores.back();
  std::vector<std::string> keys;
  std::vector<Value *> values;
  for (Value *store : stores) {
    const std::string &key = *constantString(*store->operands[1]);
    auto at = llvm::find(keys, key);
    if (at != keys.end()) {
      values[size_t(at - keys.begin())] = store->operands[2];
      continue;
    }
    keys.push_back(key);
    values.push_back(store->operands[2]);
  }
  for (Value *store : stores)
    if (store != &tuple)
      replaceWithNone(t, *store);
  tuple.opcode = Opcode::Tuple;
  tuple.name = nameOfLiteralDicts;
  tuple.names = std::move(keys);
  tuple.operands = std::move(values);
  tuple.operandSpans.clear();
  tuple.type = {};
  forEachUse(t, dict, [&](Value &user, size_t i) { user.operands[i] = &tuple; });
  for (VariableAssignment &assigned : t.function.assignments)
    if (assigned.value == &dict)
      assigned.value = &tuple;
}

} // namespace

std::optional<bool> visitLiteralDict(FunctionTyping &t, Value &v) {
  std::vector<Value *> stores = v.shared ? std::vector<Value *>() : findLiteralEntries(t, v);
  if (stores.size() < 2 || hasValuesPutInto(t, v))
    return {};
  auto typeOf = [](const Value *store) { return store->operands[2]->type; };
  if (!llvm::all_of(stores, typeOf))
    return false;
  Type first = typeOf(stores[0]), joint;
  bool same = true, joined = true;
  for (const Value *store : stores) {
    Type own = typeOf(store);
    same = same && toRuntimeStringTypes(own) == toRuntimeStringTypes(first);
    joint = joined ? unify(joint, own) : joint;
    joined = joined && joint;
  }
  if (same || (joined && !isReadByKnownKeys(t, v)))
    return {};
  replaceWithTuple(t, v, stores);
  replaceWithNone(t, v);
  return true;
}

bool visitLiteralDictIndex(FunctionTyping &t, Value &v) {
  Type dict = v.operands[0]->type;
  const std::string *key = constantString(*v.operands[1]);
  if (!key)
    t.errorAt(v, 1, "the key of a dict with values of several types must be a constant string",
              describeType(*v.operands[1]));
  if (!llvm::is_contained(dict->names, attributeOfKey(*key)))
    t.errorAt(v, 1, "Key '" + *key + "' is not in dict.", dict.name());
  v.opcode = Opcode::Attribute;
  v.name = attributeOfKey(*key);
  v.operands.pop_back();
  v.operandSpans.clear();
  return t.visit(v);
}

Value *insertTupleOfLiteralDictKeys(FunctionTyping &t, Value &at, Type dict) {
  std::vector<Value *> keys;
  for (const std::string &key : keysOf(dict))
    keys.push_back(t.insertConstant(at, at.span, Constant::ofString(key)));
  Value *tuple = t.insertBefore(at, Opcode::Tuple, at.span, std::move(keys));
  t.visit(*tuple);
  return tuple;
}

} // namespace heddle::python
