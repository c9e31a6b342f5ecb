// Types of functions that are selected at run time.

#include "frontend/python/infer/visits.h"

namespace heddle::python {
namespace {

bool isFunction(const Constant &c) {
  return c.kind == ConstantKind::Function || c.kind == ConstantKind::Intrinsic ||
         c.kind == ConstantKind::Overload || c.kind == ConstantKind::Type;
}

void insertConversionToFunctionTag(FunctionTyping &t, Value &v, size_t i) {
  Value &function = *v.operands[i];
  if (function.opcode == Opcode::Choose)
    return;
  Span span = v.spanOf(i);
  while (v.operandSpans.size() < v.operands.size())
    v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
  // The operand of a merge is converted at the end of its predecessor.
  Value &user = v.opcode == Opcode::Phi ? *v.block->predecessors[i]->values.back() : v;
  v.operands[i] = t.insertBefore(user, Opcode::Choose, span, {&function});
  t.visit(*v.operands[i]);
}

} // namespace

Type tagTypeOfFunction(const FunctionTyping &t, const Constant &object) {
  return t.rules().makesArrays && isFunction(object) ? functionTagType({knownObjectType(object)})
                                                     : Type();
}

bool isFunctionOrTag(const FunctionTyping &t, const Value &v) {
  return v.type.isChoice() ||
         (v.type == objectType() && v.constant && tagTypeOfFunction(t, *v.constant));
}

void convertFunctionsToTags(FunctionTyping &t, Value &v) {
  for (size_t i = 0; i < v.operands.size(); ++i)
    if (v.operands[i]->type && isFunctionOrTag(t, *v.operands[i]))
      insertConversionToFunctionTag(t, v, i);
}

Value &convertFunctionPutIntoContainer(FunctionTyping &t, const Put &put) {
  if (put.as != PutAs::Items && isFunctionOrTag(t, put.value()))
    insertConversionToFunctionTag(t, *put.user, put.operand);
  else if (put.as != PutAs::Items)
    convertToString(t, *put.user, put.operand);
  return put.value();
}

bool visitFunctionToTag(FunctionTyping &t, Value &v) {
  const Value &function = *v.operands[0];
  if (function.type != objectType())
    return setType(v, function.type);
  if (!isFunctionOrTag(t, function))
    t.error(v, describeType(function) + " is no function");
  return setType(v, tagTypeOfFunction(t, *function.constant));
}

bool visitTaggedFunctionCall(FunctionTyping &t, Value &call) {
  const FunctionSource *bound = call.boundTo; // when only one of the functions was known
  bool byPosition = !bound || llvm::all_of(bound->parameters, [](const Parameter &p) {
    return p.kind == ParameterKind::Plain;
  });
  if (!call.names.empty() || !byPosition)
    t.error(call, "a function that is selected at run time takes only positional arguments",
            call.operands[0]->type.name());
  call.boundTo = nullptr;
  call.library = nullptr;
  return replaceWithCallOf(t, call, "choice.call");
}

} // namespace heddle::python
