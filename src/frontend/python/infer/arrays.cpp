// Types of assignments to the elements of arrays.

#include "frontend/python/infer/inference.h"

namespace heddle::python {

void Inference::checkViewStore(const Value &store, Type target) {
  const Value &value = *store.operands[2];
  Type from = value.type, element = target->element;
  bool numbers = from.isTuple() && !from->elements.empty();
  for (size_t i = 0; numbers && i < from->elements.size(); ++i)
    numbers = storable(from->elements[i], element);
  if (from.isArray() && from->ndim > target->ndim)
    errorAt(store, 2, "this array has more dimensions than the view that it is assigned to",
            from.name(), "the view is " + target.name() + ": index the array to fit");
  Type given = from.isArray() ? from->element : from;
  if (!(numbers && target->ndim > 0) && (from.isTuple() || !storable(given, element)))
    errorAt(store, 2, "cannot assign " + describeType(value) + " to the view " + target.name(),
            describeType(value), "assign a number, an array or a tuple of numbers");
}

bool Inference::visitInPlace(Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  BinaryOp op = BinaryOp(v.op);
  std::string symbol = std::string(symbolOf(op)) + "=";
  Type element = b.type.isArray() ? b.type->element : b.type;
  Type result = binaryType(op, a.type->element, element);
  if (!result || !convertible(result, a.type->element))
    error(v, "bad operands for " + symbol, describeType(a) + " and " + describeType(b));
  if (a.type->readOnly)
    error(v, "cannot write to a read-only array", a.type.name(),
          "pass an array whose flags.writeable is True");
  if (b.type.isArray() && b.type->ndim > a.type->ndim)
    error(v, "the array to the right of " + symbol + " has more dimensions than the one it changes",
          a.type.name() + " and " + b.type.name());
  return set(v, a.type);
}

} // namespace heddle::python
