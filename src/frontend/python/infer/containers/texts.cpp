// Types of operations on strings in host functions. heddle/host_library/strings.py implements them.

#include "frontend/python/infer/visits.h"

namespace heddle::python {

bool visitTextBinary(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  BinaryOp op = BinaryOp(v.op);
  auto isCount = [](Type type) { return type.isInteger() || type.isBool(); };
  if (op == BinaryOp::Add && a.type == b.type)
    return replaceWithCallOf(t, v, "str.plus");
  if (op == BinaryOp::Mod && a.type == runtimeStringType())
    return replaceWithCallOf(t, v, "host.percent");
  if (op == BinaryOp::Mul && isCount(a.type)) {
    std::swap(v.operands[0], v.operands[1]);
    if (v.operandSpans.size() > 1)
      std::swap(v.operandSpans[0], v.operandSpans[1]);
  }
  if (op == BinaryOp::Mul && isCount(v.operands[1]->type))
    return replaceWithCallOf(t, v, "str.times");
  t.error(v, "bad operands for " + std::string(symbolOf(op)),
          describeType(a) + " and " + describeType(b),
          op == BinaryOp::Add ? "str(x) is the text of a number, and so is f\"{x}\"" : "");
}

bool visitTextIndex(FunctionTyping &t, Value &v) {
  Type index = v.operands[1]->type;
  if (index == sliceType())
    return replaceByCallWithSliceBounds(t, v, "str.slice");
  if (!index.isInteger() && !index.isBool())
    t.errorAt(v, 1, "the index of a string must be an integer or a slice", index.name());
  return setType(v, runtimeStringType());
}

} // namespace heddle::python
