// Types of loops over what has elements.

#include "frontend/python/types/iteration.h"
#include "frontend/python/infer/visits.h"
#include "frontend/python/types/literal_dicts.h"

#include <algorithm>

namespace heddle::python {

namespace {

/// The dict whose items, keys or values a loop goes over; null for any other loop.
Value *dictOf(const Value &iterable) {
  bool isMethod = iterable.opcode == Opcode::Call && iterable.operands.size() == 2 &&
                  iterable.operands[1]->type.isDict() && iterable.operands[0]->constant;
  if (!isMethod)
    return nullptr;
  const std::string &name = iterable.operands[0]->constant->text;
  return name == "dict.items" || name == "dict.keys" || name == "dict.values" ? iterable.operands[1]
                                                                              : nullptr;
}

} // namespace

bool visitIterCount(FunctionTyping &t, Value &v) {
  if (v.operands[0]->type.isTable() || isLiteralDict(v.operands[0]->type))
    goOverKeys(t, v, v.operands[0]);
  else if (Value *dict = dictOf(*v.operands[0]); dict && v.operands.size() == 1) {
    if (v.operands[0]->operands[0]->constant->text == "dict.keys")
      goOverKeys(t, v, dict);
    else
      v.operands.push_back(dict);
  }
  Type iterable = v.operands[0]->type;
  if (!isIterable(iterable))
    t.error(v, "cannot loop over " + describeType(*v.operands[0]), "",
            iterable.isInteger()
                ? "count with range(...)"
                : t.rules().plural +
                      " loop over ranges, tuples, arrays, and enumerate, zip or reversed of them");
  std::optional<size_t> most = mostItems(iterable);
  if (resumesGenerators(iterable) && needsUnrolling(iterable))
    t.error(v, "cannot loop over a generator together with a tuple of values of several types");
  bool unroll = needsUnrolling(iterable);
  bool isUnrolled = v.index, fits = isUnrolled ? most == v.count : !unroll;
  if (!fits) {
    // Other copies of the same loop most likely go over tuples of the same length.
    if (!t.function.unrolled
             .emplace(v.name.substr(0, v.name.find('/')), unroll ? *most : neverUnrolled)
             .second)
      t.function.unrolled[v.name] = unroll ? *most : neverUnrolled;
    t.outdated = true;
    return false;
  }
  if (isOfFixedLength(iterable))
    v.constant = Constant::ofInt(int64_t(*most));
  return setType(v, int64Type());
}

bool visitIterValue(FunctionTyping &t, Value &v) {
  Value &iterable = *v.operands[0];
  const std::optional<Constant> &round = v.operands[1]->constant;
  if (round && iterable.constant)
    v.constant = itemConstant(iterable.type, *iterable.constant, size_t(round->integer));
  return setType(v, itemType(iterable.type, round ? std::optional(size_t(round->integer))
                                                  : std::optional<size_t>()));
}

void keepPlace(FunctionTyping &t, Value &next) {
  Value *iterable = next.operands.size() == 2 ? next.operands[1] : nullptr;
  if (!iterable || iterable->opcode != Opcode::Call || !iterable->type.is(TypeKind::Iterator))
    return;
  std::vector<Value *> &values = iterable->block->values;
  Value &following = **std::next(std::find(values.begin(), values.end(), iterable));
  Value *function = t.insertBefore(following, Opcode::Constant, iterable->span, {});
  function->constant = t.libraryFunction("builtins.iter");
  Value *iterator = t.insertBefore(following, Opcode::Call, iterable->span, {function, iterable});
  for (const auto &block : t.function.blocks)
    for (Value *user : block->values)
      if (user != iterator)
        std::replace(user->operands.begin(), user->operands.end(), iterable, iterator);
  t.visit(*function);
  t.visit(*iterator);
}

} // namespace heddle::python
