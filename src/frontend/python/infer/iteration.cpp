// Types of loops over iterables.

#include "frontend/python/types/iteration.h"
#include "frontend/python/infer/visits.h"
#include "frontend/python/types/literal_dicts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle::python {

namespace {

bool isCallOf(const Value &v, llvm::ArrayRef<llvm::StringRef> names) {
  return v.opcode == Opcode::Call && v.operands[0]->constant &&
         llvm::is_contained(names, v.operands[0]->constant->text);
}

/// Collects the iterables of a loop whose size must not change meanwhile: dicts, sets, and lists of numba.typed.
void collectSizeCheckedContainers(Value &iterable, std::vector<Value *> &fixed) {
  if (isCallOf(iterable, {"builtins.zip", "builtins.enumerate", "builtins.reversed"}))
    for (Value *part : llvm::drop_begin(iterable.operands))
      collectSizeCheckedContainers(*part, fixed);
  else if (isCallOf(iterable, {"dict._ordered", "dict._stored", "dict._entries", "set._ordered"}))
    fixed.push_back(iterable.operands[1]);
  else if (iterable.type.isList() && iterable.type.isShared())
    fixed.push_back(&iterable);
}

} // namespace

bool visitIterCount(FunctionTyping &t, Value &v) {
  v.operands.resize(1);
  iterateOverSnapshot(t, v, 0);
  std::vector<Value *> fixed;
  collectSizeCheckedContainers(*v.operands[0], fixed);
  v.operands.insert(v.operands.end(), fixed.begin(), fixed.end());
  Type iterable = v.operands[0]->type;
  if (!isIterable(iterable))
    t.error(v, "cannot loop over " + describeType(*v.operands[0]), "",
            iterable.isInteger()
                ? "count with range(...)"
                : t.rules().plural +
                      " loop over ranges, tuples, arrays, and enumerate, zip or reversed of them");
  std::optional<size_t> most = maxTripCount(iterable);
  if (resumesGenerators(iterable) && needsUnrolling(iterable))
    t.error(v, "cannot loop over a generator together with a tuple of values of several types");
  bool unroll = needsUnrolling(iterable);
  bool isUnrolled = v.index, fits = isUnrolled ? most == v.count : !unroll;
  if (!fits) {
    // Other copies of the loop probably iterate over tuples of the same length.
    if (!t.function.unrolled
             .emplace(v.name.substr(0, v.name.find('/')), unroll ? *most : neverUnrolled)
             .second)
      t.function.unrolled[v.name] = unroll ? *most : neverUnrolled;
    t.outdated = true;
    return false;
  }
  if (hasFixedTripCount(iterable))
    v.constant = Constant::ofInt(int64_t(*most));
  return setType(v, int64Type());
}

bool visitIterValue(FunctionTyping &t, Value &v) {
  Value &iterable = *v.operands[0];
  const std::optional<Constant> &iteration = v.operands[1]->constant;
  if (iteration && iterable.constant)
    v.constant = constantOfItem(iterable.type, *iterable.constant, size_t(iteration->integer));
  return setType(v, itemType(iterable.type, iteration ? std::optional(size_t(iteration->integer))
                                                      : std::optional<size_t>()));
}

void makeIteratorStateful(FunctionTyping &t, Value &next) {
  Value *iterable = next.operands.size() == 2 ? next.operands[1] : nullptr;
  if (!iterable || iterable->opcode != Opcode::Call || !iterable->type.is(TypeKind::Iterator))
    return;
  std::vector<Value *> &values = iterable->block->values;
  Value &following = **std::next(std::find(values.begin(), values.end(), iterable));
  Value *function =
      t.insertConstant(following, iterable->span, *t.findLibraryFunction("builtins.iter"));
  Value *iterator = t.insertBefore(following, Opcode::Call, iterable->span, {function, iterable});
  for (const auto &block : t.function.blocks)
    for (Value *user : block->values)
      if (user != iterator)
        std::replace(user->operands.begin(), user->operands.end(), iterable, iterator);
  t.visit(*iterator);
}

} // namespace heddle::python
