#include "frontend/python/infer/check_typed.h"

#include "frontend/python/infer/check_captures.h"
#include "frontend/python/infer/visits.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

void rejectUnassignedOperands(const FunctionTyping &t) {
  for (auto &block : t.function.blocks)
    for (Value *v : block->values)
      for (Value *&operand : v->operands)
        if (block->reachable && v->opcode != Opcode::Phi && operand->opcode == Opcode::Phi &&
            !operand->type)
          t.errorAt(*v, &operand - v->operands.data(),
                    "variable " + variableName(operand->name) + " is used before it is assigned",
                    "", hintForUnassigned(t.source, operand->name));
}

void checkFunctionsAreCalled(const FunctionTyping &t) {
  std::set<const Value *> used;
  for (auto &v : t.function.values)
    used.insert(v->operands.begin(), v->operands.end());
  for (auto &block : t.function.blocks)
    for (Value *v : block->values)
      if (block->reachable && !used.count(v) && v->constant &&
          v->constant->kind == ConstantKind::Intrinsic &&
          (v->opcode == Opcode::Attribute || v->opcode == Opcode::Global))
        t.error(*v,
                std::string(nameWithoutBuiltinsPrefix(v->constant->text)) +
                    " is named here, but not called",
                "", "write " + std::string(nameWithoutBuiltinsPrefix(v->constant->text)) + "()");
}

} // namespace

void checkAllValuesTyped(const FunctionTyping &t) {
  TypedFunction &f = t.function;
  for (auto &block : f.blocks)
    for (Value *v : block->values)
      if (block->reachable && v->opcode == Opcode::Call && !v->type &&
          std::all_of(v->operands.begin(), v->operands.end(), [](Value *o) { return o->type; }))
        fail(t.source, v->span, ErrorKind::Typing,
             "cannot tell the type of this recursive call: no path returns without another call",
             "", "add a path that returns a value without calling '" + t.source.name + "'");
  failIfContainersAreUntyped(t);
  rejectUnassignedOperands(t);
  checkFunctionsAreCalled(t);
  checkCaptures(f);
  if (!f.result && f.isGenerator)
    fail(t.source, t.source.span, ErrorKind::Typing,
         t.source.name + "() never yields a value, so that the generator has no type");
  if (!f.result)
    f.result = noneType(); // every path ends in raise or in an endless loop
}

} // namespace heddle::python
