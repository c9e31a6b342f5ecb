#include "frontend/python/infer/visits.h"

namespace heddle::python {

bool replaceWithCall(FunctionTyping &t, Value &v, Constant function) {
  std::vector<Span> spans{v.span};
  for (size_t i = 0; i < v.operands.size(); ++i)
    spans.push_back(v.spanOf(i));
  Value *named = t.insertConstant(v, v.span, std::move(function));
  v.opcode = Opcode::Call;
  v.inPlace = false;
  v.operands.insert(v.operands.begin(), named);
  v.operandSpans = std::move(spans);
  return t.visit(v);
}

bool replaceWithCallOf(FunctionTyping &t, Value &v, const std::string &function) {
  return replaceWithCall(t, v, *t.findLibraryFunction(function));
}

} // namespace heddle::python
