// Types of operations on fixed-length strings.

#include "frontend/python/types/characters.h"
#include "frontend/python/infer/visits.h"

namespace heddle::python {

bool convertsToCharacters(const Value &value, Type character) {
  if (isCharacters(value.type))
    return value.type->element == character;
  return value.constant && encodeConstantText(*value.constant, character);
}

Type commonCharactersType(llvm::ArrayRef<const Value *> values) {
  auto isOne = [](const Value *v) { return isCharacters(v->type); };
  const auto *one = llvm::find_if(values, isOne);
  Type character = one == values.end() ? intType(32, false) : (*one)->type->element;
  bool differ = one != values.end();
  unsigned bytes = character->bytes();
  for (const Value *v : values) {
    if (!convertsToCharacters(*v, character))
      return {};
    differ = differ || *v->constant != *values.front()->constant;
    bytes = std::max(bytes, isCharacters(v->type)
                                ? v->type->bytes()
                                : unsigned(encodeConstantText(*v->constant, character)->size()));
  }
  return differ ? charactersType(character, bytes / character->bytes()) : Type();
}

bool convertToString(FunctionTyping &t, Value &v, size_t number) {
  Value *text = v.operands[number];
  if (!t.rules().makesArrays || !isCharacters(text->type) || text->type->element->bits != 32)
    return false;
  v.operands[number] =
      t.insertCall(v, v.spanOf(number), *t.findLibraryFunction("builtins.str"), {text});
  return true;
}

bool convertToStrings(FunctionTyping &t, Value &v) {
  bool first = convertToString(t, v, 0), second = convertToString(t, v, 1);
  return first || second;
}

namespace {

bool visitInConstantStrings(FunctionTyping &t, Value &v) {
  const Value &text = *v.operands[0], &tuple = *v.operands[1];
  bool areTexts = tuple.type.isTuple() && tuple.constant &&
                  llvm::all_of(tuple.constant->items, [&](const Constant &item) {
                    return encodeConstantText(item, text.type->element).has_value();
                  });
  if (!areTexts)
    t.error(v, "'in' takes a string and a tuple of constant strings",
            describeType(text) + " and " + describeType(tuple));
  return setType(v, boolType());
}

bool isTextArray(Type type) { return type.isArray() && isCharacters(type->element); }

/// True if the elements of an array of strings may be compared with values of the type.
bool isComparableWithTexts(Type array, Type other) {
  bool isText = isTextArray(other) || isCharacters(other) || other.isString();
  return isText || (isBytes(other) && array->element->element->bits == 8);
}

/// Compares the elements of an array of strings. heddle/host_library/comparing.py implements it.
bool visitTextArrayCompare(FunctionTyping &t, Value &v) {
  static constexpr const char *functions[] = {"text_array.equals",  "text_array.differs",
                                              "text_array.less",    "text_array.less_equal",
                                              "text_array.greater", "text_array.greater_equal"};
  Value &a = *v.operands[0], &b = *v.operands[1];
  bool isComparable = isTextArray(a.type) ? isComparableWithTexts(a.type, b.type)
                                          : isComparableWithTexts(b.type, a.type);
  if (t.rules().makesArrays && isComparable)
    return replaceWithCallOf(t, v, functions[v.op]);
  t.error(v, "cannot compare an array of strings with " + std::string(symbolOf(CompareOp(v.op))),
          describeType(a) + " and " + describeType(b), "compare its elements in a loop");
}

} // namespace

std::optional<bool> visitCharactersCompare(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  if ((isTextArray(a.type) || isTextArray(b.type)) && op <= CompareOp::Ge)
    return visitTextArrayCompare(t, v);
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    bool inString = b.type == runtimeStringType() || isCharacters(b.type);
    if (inString && convertToStrings(t, v))
      return t.visit(v);
    if (isCharacters(a.type))
      return visitInConstantStrings(t, v);
  }
  if ((!isCharacters(a.type) && !isCharacters(b.type)) || op > CompareOp::Ge)
    return {};
  Type character = (isCharacters(a.type) ? a : b).type->element;
  auto isString = [&](const Value &side) {
    return side.type == runtimeStringType() && !side.constant && character->bits == 32;
  };
  if ((convertsToCharacters(a, character) || isString(a)) &&
      (convertsToCharacters(b, character) || isString(b)))
    return setType(v, boolType());
  auto isText = [](const Value &side) {
    return isCharacters(side.type) ||
           (side.constant && (side.constant->kind == ConstantKind::String ||
                              side.constant->kind == ConstantKind::Array));
  };
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (isEquality && isText(a) && isText(b))
    return setConstant(v, Constant::ofBool(op == CompareOp::Ne)); // bytes never equal strings
  return {};
}

} // namespace heddle::python
