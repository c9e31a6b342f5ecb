// Types of operations on texts of fixed length.

#include "frontend/python/types/characters.h"
#include "frontend/python/infer/visits.h"

namespace heddle::python {

bool becomesCharacters(const Value &value, Type character) {
  if (isCharacters(value.type))
    return value.type->element == character;
  return value.constant && bytesOfKnown(*value.constant, character);
}

std::optional<bool> visitCharactersCompare(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  for (Value *side : {&a, &b})
    if (side->type.isArray() && isCharacters(side->type->element) && op <= CompareOp::Ge)
      t.error(v, "cannot compare an array of texts with " + std::string(symbolOf(op)),
              describeType(a) + " and " + describeType(b), "compare its elements in a loop");
  if ((!isCharacters(a.type) && !isCharacters(b.type)) || op > CompareOp::Ge)
    return {};
  Type character = (isCharacters(a.type) ? a : b).type->element;
  auto isString = [&](const Value &side) {
    return side.type == textType() && !side.constant && character->bits == 32;
  };
  if ((becomesCharacters(a, character) || isString(a)) &&
      (becomesCharacters(b, character) || isString(b)))
    return setType(v, boolType());
  auto isText = [](const Value &side) {
    return isCharacters(side.type) ||
           (side.constant && (side.constant->kind == ConstantKind::String ||
                              side.constant->kind == ConstantKind::Array));
  };
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (isEquality && isText(a) && isText(b))
    return setConstant(v, Constant::ofBool(op == CompareOp::Ne)); // bytes are no string
  return {};
}

} // namespace heddle::python
