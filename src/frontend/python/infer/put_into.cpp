#include "frontend/python/infer/put_into.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

/// A method that adds arguments to its object; `argument` counts from 0.
struct Method {
  const char *name;
  unsigned argument;
  PutAs as;
};
constexpr Method methods[] = {
    {"append", 0, PutAs::Item},       {"insert", 1, PutAs::Item},
    {"add", 0, PutAs::Item},          {"extend", 0, PutAs::Items},
    {"update", 0, PutAs::Items},      {"__setitem__", 0, PutAs::Key},
    {"__setitem__", 1, PutAs::Entry}, {"setdefault", 0, PutAs::Key},
    {"setdefault", 1, PutAs::Entry},  {"get", 0, PutAs::Key},
    {"get", 1, PutAs::Default},       {"pop", 0, PutAs::Key},
    {"pop", 1, PutAs::Default},
};

/// A call of a method. The object is in the attribute before typing, and the first argument afterwards.
struct MethodCall {
  Value *object = nullptr; ///< null: not a method call
  std::string name;
  size_t first = 0; ///< the first argument's operand number
};
MethodCall parseMethodCall(const Value &v) {
  if (v.opcode != Opcode::Call)
    return {};
  const Value &function = *v.operands[0];
  if (function.opcode == Opcode::Attribute)
    return {function.operands[0], function.name, 1};
  bool isMethod = function.opcode == Opcode::Constant && function.constant && v.operands.size() > 1;
  const std::string text = isMethod ? function.constant->text : "";
  for (const char *kind : {"list.", "dict.", "set."})
    if (text.starts_with(kind))
      return {v.operands[1], text.substr(text.find('.') + 1), 2};
  return {};
}

struct PutPlace {
  Value *container;
  Put put;
};
/// The items that `v` adds, with their containers.
std::vector<PutPlace> findItemsPutIntoContainers(Value &v) {
  if (v.opcode == Opcode::StoreIndex)
    return {{v.operands[0], {&v, 1, PutAs::Key}}, {v.operands[0], {&v, 2, PutAs::Entry}}};
  std::vector<PutPlace> places;
  if (v.opcode == Opcode::List)
    for (size_t i = 0; i < v.operands.size(); ++i)
      places.push_back({&v, {&v, i, PutAs::Item}});
  MethodCall call = parseMethodCall(v);
  for (const Method &method : methods)
    if (call.object && call.name == method.name && call.first + method.argument < v.operands.size())
      places.push_back({call.object, {&v, call.first + method.argument, method.as}});
  return places;
}

class Search {
public:
  explicit Search(FunctionTyping &t) {
    for (const auto &block : t.function.blocks)
      for (Value *v : block->values)
        for (PutPlace place : findItemsPutIntoContainers(*v)) {
          if (Value &value = place.put.value(); !value.type && value.opcode == Opcode::Global)
            t.visit(value); // the constants of names are known before their visit
          places_.push_back(place);
        }
  }

  std::vector<Put> findPutsIntoContainer(const Value &container) {
    std::vector<Put> puts;
    for (const PutPlace &place : places_)
      if (place.put.value().type && mayAlias(*place.container, container))
        puts.push_back(place.put);
    return puts;
  }

  bool hasPutsBeyondLiteral(const Value &container) {
    return std::any_of(places_.begin(), places_.end(), [&](const PutPlace &place) {
      const Value &user = *place.put.user;
      return &user != &container && !isLiteralEntry(container, user) &&
             place.put.as != PutAs::Default && mayAlias(*place.container, container);
    });
  }

private:
  /// True if `v` may be the object that `container` creates.
  bool mayAlias(const Value &v, const Value &container) {
    seen_.clear();
    return mayComeFrom(v, container);
  }

  bool mayComeFrom(const Value &v, const Value &container) {
    if (&v == &container)
      return true;
    if (!seen_.insert(&v).second)
      return false;
    if (v.opcode == Opcode::Phi)
      return std::any_of(v.operands.begin(), v.operands.end(),
                         [&](const Value *operand) { return mayComeFrom(*operand, container); });
    const Value *from = containerOfItem(v);
    if (!from || isSlice(v))
      return false;
    // An item of another container: it may be any item that is added there.
    for (const PutPlace &place : places_) {
      bool isValue = place.put.as == PutAs::Item || place.put.as == PutAs::Entry;
      if (isValue && mayHaveSameOrigin(*place.container, *from) &&
          mayComeFrom(place.put.value(), container))
        return true;
    }
    return false;
  }

  /// True for a slice, which creates a new list with items of the original.
  static bool isSlice(const Value &v) {
    return v.opcode == Opcode::Index && v.operands[1]->opcode == Opcode::Slice;
  }

  /// The container from which `v` takes an item or slice; null if there is none.
  static const Value *containerOfItem(const Value &v) {
    if (v.opcode == Opcode::Index || v.opcode == Opcode::IterValue || v.opcode == Opcode::Unpack)
      return v.operands[0];
    MethodCall call = parseMethodCall(v);
    static const std::set<std::string> taking = {"get",    "setdefault", "pop",
                                                 "values", "items",      "__getitem__"};
    return call.object && taking.count(call.name) ? call.object : nullptr;
  }

  /// True if two values may be the same object, judged by the variables and containers that they come from.
  static bool mayHaveSameOrigin(const Value &a, const Value &b) {
    std::set<const Value *> ofA, ofB;
    collectValuesBehindPhis(a, ofA);
    collectValuesBehindPhis(b, ofB);
    return std::any_of(ofA.begin(), ofA.end(), [&](const Value *v) { return ofB.count(v); });
  }

  static void collectValuesBehindPhis(const Value &v, std::set<const Value *> &origins) {
    if (!origins.insert(&v).second)
      return;
    if (v.opcode == Opcode::Phi)
      for (const Value *operand : v.operands)
        collectValuesBehindPhis(*operand, origins);
    else if (const Value *from = containerOfItem(v))
      collectValuesBehindPhis(*from, origins);
  }

  std::vector<PutPlace> places_;
  std::set<const Value *> seen_;
};

} // namespace

std::vector<Put> findValuesPutInto(FunctionTyping &t, const Value &container) {
  return Search(t).findPutsIntoContainer(container);
}

bool isLiteralEntry(const Value &dict, const Value &store) {
  return store.opcode == Opcode::StoreIndex && store.operands[0] == &dict &&
         store.span.line == dict.span.line && store.span.column == dict.span.column;
}

bool hasValuesPutInto(FunctionTyping &t, const Value &container) {
  return Search(t).hasPutsBeyondLiteral(container);
}

} // namespace heddle::python
