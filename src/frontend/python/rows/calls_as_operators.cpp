#include "frontend/python/rows/calls_as_operators.h"

namespace heddle::python {

void replaceWithOperator(CallTyping &t, Opcode opcode, unsigned op, std::vector<Value *> operands,
                         std::vector<Span> spans) {
  Value &call = t.call();
  Value &function = *call.operands[0];
  if (function.opcode == Opcode::Global || function.opcode == Opcode::Attribute)
    function.opcode = Opcode::Constant; // was called, although it has no users now
  call.operands = std::move(operands);
  call.operandSpans = std::move(spans);
  call.names.clear();
  call.library = nullptr;
  call.opcode = opcode;
  call.op = uint8_t(op);
}

Type typeByReplacingWithOperator(CallTyping &t) {
  std::vector<Value *> operands;
  std::vector<Span> spans;
  for (unsigned i = 0; i < t.argumentCount(); ++i) {
    operands.push_back(t.argument(i));
    spans.push_back(t.spanOf(i));
  }
  replaceWithOperator(t, Opcode(t.row().data >> 8), t.row().data & 0xff, std::move(operands),
                      std::move(spans));
  return {};
}

Parts emitNoValue(CallEmission &) { return {}; }

} // namespace heddle::python
