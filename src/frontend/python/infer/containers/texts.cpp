// Types of operations on strings and bytes in host functions. heddle/host_library/strings.py implements them.

#include "frontend/python/infer/visits.h"

namespace heddle::python {
namespace {

bool isCount(Type type) { return type.isInteger() || type.isBool(); }

void putCountSecond(Value &v) {
  if (!isCount(v.operands[0]->type))
    return;
  std::swap(v.operands[0], v.operands[1]);
  if (v.operandSpans.size() > 1)
    std::swap(v.operandSpans[0], v.operandSpans[1]);
}

} // namespace

bool visitTextBinary(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  BinaryOp op = BinaryOp(v.op);
  if (op == BinaryOp::Add && a.type == b.type)
    return replaceWithCallOf(t, v, "str.plus");
  if (op == BinaryOp::Mod && a.type == runtimeStringType())
    return replaceWithCallOf(t, v, "host.percent");
  if (op == BinaryOp::Mul)
    putCountSecond(v);
  if (op == BinaryOp::Mul && isCount(v.operands[1]->type))
    return replaceWithCallOf(t, v, "str.times");
  t.error(v, "bad operands for " + std::string(symbolOf(op)),
          describeType(a) + " and " + describeType(b),
          op == BinaryOp::Add ? "str(x) is the text of a number, and so is f\"{x}\"" : "");
}

std::optional<bool> visitBytesBinary(FunctionTyping &t, Value &v) {
  Type a = v.operands[0]->type, b = v.operands[1]->type;
  BinaryOp op = BinaryOp(v.op);
  if (!t.rules().makesArrays || (!isBytes(a) && !isBytes(b)))
    return {};
  if (op == BinaryOp::Add && isBytes(a) && isBytes(b))
    return replaceWithCallOf(t, v, "bytes.plus");
  if (op == BinaryOp::Mul && (isCount(a) || isCount(b))) {
    putCountSecond(v);
    return replaceWithCallOf(t, v, "bytes.times");
  }
  if ((isBytes(a) && (isBytes(b) || op == BinaryOp::Mod)) || a.isString() || b.isString())
    t.error(v, "bad operands for " + std::string(symbolOf(op)), a.name() + " and " + b.name(),
            "np.frombuffer(b, np.uint8) is an array of the same memory, to compute with");
  return {};
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
