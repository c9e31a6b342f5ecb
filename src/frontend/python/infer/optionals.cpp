// Optional values. They are unwrapped where another type is needed.

#include "frontend/python/infer/visits.h"

namespace heddle::python {

bool mayHoldNone(Type list) { return list.isList() && list->element.is(TypeKind::Optional); }

void unwrapOptionals(FunctionTyping &t, Value &v) {
  auto isNone = [&](size_t i) { return v.operands[i]->type.is(TypeKind::None); };
  switch (v.opcode) {
  case Opcode::Phi:
  case Opcode::Choose:
  case Opcode::Truth:
  case Opcode::Tuple:
  case Opcode::Closure:
  case Opcode::Return:
  case Opcode::Unwrap:
  case Opcode::Call: // depends on the callee
    return;
  case Opcode::Compare:
    if (isNone(0) || isNone(1) || areTextsOrNone(v.operands[0]->type, v.operands[1]->type))
      return;
    break;
  case Opcode::List:
    if (!v.shared)
      return;
    break;
  case Opcode::StoreIndex: // attributes and items may be None
    t.unwrapOperand(v, 0);
    if (v.operands[0]->type.isInstance() && !v.name.empty())
      return;
    if (mayHoldNone(v.operands[0]->type)) {
      t.unwrapOperand(v, 1);
      return;
    }
    break;
  default:
    break;
  }
  for (size_t i = 0; i < v.operands.size(); ++i)
    t.unwrapOperand(v, i);
}

bool visitUnwrap(FunctionTyping &t, Value &v) {
  Type type = v.operands[0]->type;
  return setType(v, type.is(TypeKind::Optional) ? type->element : type);
}

} // namespace heddle::python
