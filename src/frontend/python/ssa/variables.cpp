// Variables, and nested functions with their captures.
#include "frontend/python/ssa/builder.h"

#include <algorithm>

namespace heddle::python {

Value *SsaBuilder::buildName(const Node &node) {
  if (locals_.count(node.text))
    return readVariableRefreshingClosure(node.text, node.span);
  Value *v = append(Opcode::Global, node.span);
  v->name = node.text;
  return v;
}

Value *SsaBuilder::buildClosure(const Node &node) {
  std::vector<Value *> captured = capturedValues(*node.function, node.span);
  for (const NodePtr &defaultValue : node.children)
    captured.push_back(buildExpression(*defaultValue));
  Value *v = append(Opcode::Closure, node.span, std::move(captured));
  v->function = node.function.get();
  return v;
}

std::vector<Value *> SsaBuilder::capturedValues(const FunctionSource &function, Span span) {
  std::vector<Value *> captured;
  for (const Parameter &p : function.parameters)
    if (p.kind == ParameterKind::Captured && p.name[0] != '.')
      captured.push_back(readVariableRefreshingClosure(p.name, span));
  return captured;
}

Value *SsaBuilder::readVariableRefreshingClosure(const std::string &name, Span span) {
  auto found = definitions_.find(name);
  bool defined = found != definitions_.end() && isOnEveryPath(found->second.place);
  Value *v = defined ? found->second.function : readVariable(name, span);
  if (v->opcode != Opcode::Closure || v->function == f_.source)
    return v;
  bool outermost = renewals_.empty();
  auto [renewal, isNew] = renewals_.try_emplace(v);
  if (!isNew) // null while in progress: functions may call each other
    return renewal->second ? renewal->second : v;
  Value *now = rebuildClosureWithCurrentCaptures(*v, span);
  renewals_[v] = now;
  if (outermost)
    renewals_.clear();
  return now;
}

bool SsaBuilder::isOnEveryPath(const std::vector<unsigned> &place) const {
  return place.size() <= place_.size() && std::equal(place.begin(), place.end(), place_.begin());
}

Value *SsaBuilder::rebuildClosureWithCurrentCaptures(const Value &definition, Span span) {
  std::vector<Value *> captured = capturedValues(*definition.function, span);
  captured.insert(captured.end(), definition.operands.begin() + captured.size(),
                  definition.operands.end());
  Value *v = append(Opcode::Closure, span, std::move(captured));
  v->function = definition.function;
  return v;
}

void SsaBuilder::recordFunctionDefinition(const std::string &name, Value *v) {
  if (v->opcode == Opcode::Closure && locals_[name].size() == 1)
    definitions_[name] = {v, place_};
}

void SsaBuilder::recordAssignment(const std::string &name, Span span, Value *value) {
  Value *last = current_->values.empty() ? nullptr : current_->values.back();
  bool atStart = !last || last->opcode == Opcode::Phi;
  f_.assignments.push_back({name, span, value, current_, atStart ? nullptr : last});
}

Value *SsaBuilder::buildSelfClosure() {
  std::vector<Value *> captured;
  for (size_t i = 0; i < source_.parameters.size(); ++i)
    if (source_.parameters[i].kind == ParameterKind::Captured)
      captured.push_back(f_.parameterValues[i]);
  Value *v = append(Opcode::Closure, source_.span, std::move(captured));
  v->function = f_.source;
  return v;
}

} // namespace heddle::python
