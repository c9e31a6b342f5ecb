// Types of operators and comparisons.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/classes.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/fold.h"
#include "frontend/python/types/times.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle::python {
namespace {

bool areComparable(Type a, Type b, CompareOp op) {
  if (a.isScalar() && b.isScalar())
    return true;
  if (a.isComplex() || b.isComplex())
    return (op == CompareOp::Eq || op == CompareOp::Ne) && isConvertible(a, complexType(128)) &&
           isConvertible(b, complexType(128));
  if (a.isString() && b.isString())
    return true;
  if (a.isTime() && b.isTime())
    return bool(unifyTimes(a, b));
  if (a.isTuple() && b.isTuple()) {
    for (size_t i = 0; i < std::min(a->elements.size(), b->elements.size()); ++i)
      if (!areComparable(a->elements[i], b->elements[i], op))
        return false;
    return true;
  }
  return false;
}

/// The result of `type(x) is C` or `type(x) in (C, D)`; nothing if neither operand is the type of a value.
std::optional<bool> foldClassComparison(const Constant &a, const Constant &b, CompareOp op) {
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    if (a.kind != ConstantKind::Type || b.kind != ConstantKind::Tuple)
      return {};
    bool any = false;
    for (const Constant &item : b.items) {
      std::optional<bool> one = isExactClass(a.type, item);
      if (!one)
        return {};
      any = any || *one;
    }
    return any == (op == CompareOp::In);
  }
  if (op != CompareOp::Is && op != CompareOp::IsNot && op != CompareOp::Eq && op != CompareOp::Ne)
    return {};
  std::optional<bool> same;
  if (a.kind == ConstantKind::TupleClass && b.kind == ConstantKind::TupleClass)
    same = a.type->identity == b.type->identity;
  else if (a.kind == ConstantKind::Type)
    same = isExactClass(a.type, b);
  else if (b.kind == ConstantKind::Type)
    same = isExactClass(b.type, a);
  if (same)
    *same = *same == (identityToEquality(op) == CompareOp::Eq);
  return same;
}

/// The result of an identity or equality comparison that does not depend on run-time values: None or not, same object
/// or different ones. Nothing if the values decide.
std::optional<bool> foldIdentityComparison(const Value &a, const Value &b, CompareOp op) {
  bool identity = op == CompareOp::Is || op == CompareOp::IsNot;
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (!identity && !equality)
    return {};
  bool optional = a.type.is(TypeKind::Optional) || b.type.is(TypeKind::Optional);
  bool none = a.type.is(TypeKind::None) || b.type.is(TypeKind::None);
  if (none)
    return optional ? std::nullopt : std::optional(a.type == b.type);
  bool objects = a.type == objectType() && b.type == objectType();
  if (a.constant && b.constant && (identity || objects))
    return *a.constant == *b.constant;
  bool oneString = a.type.isString() != b.type.isString();
  bool oneObject = (a.type == objectType()) != (b.type == objectType());
  if (equality && (oneString || oneObject))
    return false;
  return {};
}

} // namespace

namespace {

/// True if an operator creates an array from the elements of arrays.
bool isElementwiseOnArrays(const FunctionTyping &t, const Value &v) {
  return t.rules().makesArrays &&
         llvm::any_of(v.operands, [](const Value *operand) { return operand->type.isArray(); });
}

} // namespace

bool visitUnary(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0];
  static constexpr const char *functions[] = {"numpy.positive", "numpy.negative", "numpy.invert"};
  if (isElementwiseOnArrays(t, v) && UnaryOp(v.op) != UnaryOp::Not)
    return replaceWithCallOf(t, v, functions[v.op]);
  if (std::optional<bool> ofInstance = visitInstanceUnary(t, v))
    return *ofInstance;
  Type type = unaryType(UnaryOp(v.op), a.type);
  if (!type)
    t.error(v, "bad operand for " + std::string(symbolOf(UnaryOp(v.op))), describeType(a),
            UnaryOp(v.op) == UnaryOp::Invert && a.type.isFloat() ? "~ works on integers and bool"
                                                                 : "");
  if (a.constant)
    v.constant = foldUnary(UnaryOp(v.op), *a.constant);
  return setType(v, type);
}

namespace {

/// Types an augmented assignment to an array, which modifies its elements.
bool visitAugmentedArrayAssignment(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  BinaryOp op = BinaryOp(v.op);
  std::string symbol = std::string(symbolOf(op)) + "=";
  Type element = b.type.isArray() ? b.type->element : b.type;
  Type result = binaryType(op, a.type->element, element);
  if (!result || !isConvertible(result, a.type->element))
    t.error(v, "bad operands for " + symbol, describeType(a) + " and " + describeType(b));
  if (a.type->readOnly)
    t.error(v, "cannot write to a read-only array", a.type.name(),
            "pass an array whose flags.writeable is True");
  if (b.type.isArray() && b.type->ndim > a.type->ndim)
    t.error(v,
            "the array to the right of " + symbol + " has more dimensions than the one it changes",
            a.type.name() + " and " + b.type.name());
  return setType(v, a.type);
}

} // namespace

namespace {

/// Types a tuple times a constant, which repeats the elements.
bool visitTupleRepetition(FunctionTyping &t, Value &v, Value &tuple, const Value &times) {
  constexpr int64_t most = 1000; // longer ones belong in an array
  int64_t size = tuple.type->elements.size();
  if (!times.constant || !times.type.isInteger())
    t.error(v, "a tuple can be repeated only a constant number of times",
            describeType(*v.operands[0]) + " and " + describeType(*v.operands[1]),
            "its length is part of its type");
  int64_t count = std::max<int64_t>(times.constant->integer, 0);
  if (size && count > most / size)
    t.error(v, "this tuple would have more than " + std::to_string(most) + " elements", "",
            "cuda.local.array(n, dtype) is for many values");
  std::vector<Value *> elements;
  for (int64_t i = 0; i < count * size; ++i) {
    elements.push_back(t.insertBefore(v, Opcode::Unpack, v.span, {&tuple}));
    elements.back()->index = unsigned(i % size);
    elements.back()->count = unsigned(size);
    t.visit(*elements.back());
  }
  v.opcode = Opcode::Tuple;
  v.inPlace = false;
  v.operands = std::move(elements);
  v.operandSpans.clear();
  return t.visit(v);
}

bool visitRepeatedText(FunctionTyping &t, Value &v, const std::string &text, int64_t count) {
  constexpr int64_t most = 10000;
  if (count > 0 && int64_t(text.size()) * std::min(count, most) > most)
    t.error(v, "this string would have more than " + std::to_string(most) + " characters");
  std::string out;
  for (int64_t i = 0; i < count && !text.empty(); ++i)
    out += text;
  return setConstant(v, Constant::ofString(std::move(out)));
}

} // namespace

/// `int | float` or `int | None` as a tuple of classes for isinstance; nothing for values.
std::optional<Constant> foldUnionOfClasses(BinaryOp op, const Value &a, const Value &b) {
  if (op != BinaryOp::Or || !a.constant || !b.constant)
    return {};
  Constant out{.kind = ConstantKind::Tuple};
  for (const Value *side : {&a, &b}) {
    const Constant &c = *side->constant;
    if (c.kind == ConstantKind::Tuple)
      out.items.insert(out.items.end(), c.items.begin(), c.items.end());
    else
      out.items.push_back(c.kind == ConstantKind::None ? Constant::ofType(noneType()) : c);
  }
  for (const Constant &item : out.items)
    if (!isInstance(noneType(), item))
      return {};
  return out;
}

bool visitBinary(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  BinaryOp op = BinaryOp(v.op);
  if (std::optional<bool> ofTables = visitTableBinary(t, v))
    return *ofTables;
  if (std::optional<bool> ofInstances = visitInstanceBinary(t, v))
    return *ofInstances;
  if (convertToStrings(t, v))
    return t.visit(v);
  if (op == BinaryOp::Mul && a.type.isList())
    return replaceWithCallOf(t, v, "list.repeat");
  if (op == BinaryOp::Mul && b.type.isList() && a.type.isInteger()) {
    std::swap(v.operands[0], v.operands[1]);
    if (v.operandSpans.size() == 2)
      std::swap(v.operandSpans[0], v.operandSpans[1]);
    return replaceWithCallOf(t, v, "list.repeat");
  }
  if (op == BinaryOp::Add && a.type.isList() && b.type.isList())
    return replaceWithCallOf(t, v, v.inPlace ? "list.grow" : "list.join");
  if (op == BinaryOp::Mul && (a.type.isTuple() ? b.type : a.type).isInteger() &&
      (a.type.isTuple() || b.type.isTuple()))
    return a.type.isTuple() ? visitTupleRepetition(t, v, a, b) : visitTupleRepetition(t, v, b, a);
  if (std::optional<bool> ofBytes = visitBytesBinary(t, v))
    return *ofBytes;
  if (v.inPlace && a.type.isArray())
    return visitAugmentedArrayAssignment(t, v);
  static constexpr const char *functions[] = {
      "numpy.add",          "numpy.subtract",    "numpy.multiply",   "numpy.divide",
      "numpy.floor_divide", "numpy.remainder",   "numpy.power",      "numpy.left_shift",
      "numpy.right_shift",  "numpy.bitwise_and", "numpy.bitwise_or", "numpy.bitwise_xor",
      "numpy.dot"};
  if (isElementwiseOnArrays(t, v))
    return replaceWithCallOf(t, v, functions[v.op]);
  if (op == BinaryOp::Add && a.type.isTuple() && b.type.isTuple()) {
    std::vector<Type> elements = a.type->elements;
    elements.insert(elements.end(), b.type->elements.begin(), b.type->elements.end());
    if (holdsCompileTimeObject(a.type) || holdsCompileTimeObject(b.type)) {
      v.constant = Constant{.kind = ConstantKind::Tuple};
      for (const Value *side : {&a, &b})
        for (size_t i = 0; i < side->type->elements.size(); ++i)
          v.constant->items.push_back(side->constant ? side->constant->items[i]
                                                     : Constant{.kind = ConstantKind::Unknown});
    }
    return setType(v, tupleType(std::move(elements)));
  }
  if (op == BinaryOp::Mul && a.type.isString() && a.constant && b.constant && b.type.isInteger())
    return visitRepeatedText(t, v, a.constant->text, b.constant->integer);
  if (op == BinaryOp::Add && a.type.isString() && b.type.isString() && a.constant && b.constant)
    return setConstant(v, Constant::ofString(a.constant->text + b.constant->text));
  if (a.type == runtimeStringType() || b.type == runtimeStringType())
    return visitTextBinary(t, v);
  if (a.type.isString() && b.type.isString())
    return setType(v, constantStringType());
  if (std::optional<Constant> classes = foldUnionOfClasses(op, a, b))
    return setConstant(v, std::move(*classes));
  Type type = binaryType(op, a.type, b.type);
  if (!type) {
    std::string hint;
    if (a.type.isArray() || b.type.isArray())
      hint = t.rules().plural + " cannot allocate arrays: compute with elements, as in a[i], or "
                                "give the NumPy function an output, as in np.add(x, y, out)";
    else if (a.type.isScalar() && b.type.isScalar() && (a.type.isFloat() || b.type.isFloat()))
      hint = std::string(symbolOf(op)) + " works on integers; convert with int(x)";
    else
      hint = explainTimeMismatch(a.type, b.type);
    t.error(v, "bad operands for " + std::string(symbolOf(op)),
            describeType(a) + " and " + describeType(b), hint);
  }
  if (a.constant && b.constant)
    v.constant = foldBinary(op, *a.constant, *b.constant);
  return setType(v, type);
}

/// True if both are strings and at least one may be None.
bool areTextsOrNone(Type a, Type b) {
  auto value = [](Type type) { return type.is(TypeKind::Optional) ? type->element : type; };
  bool mayBeNone = a.is(TypeKind::Optional) || b.is(TypeKind::Optional);
  return mayBeNone && value(a).isString() && value(b).isString();
}

/// Compares bytes objects as Python does. Other arrays are compared element by element.
bool visitBytesCompare(FunctionTyping &t, Value &v) {
  static constexpr const char *functions[] = {"bytes.equals",  "bytes.differs",
                                              "bytes.less",    "bytes.less_equal",
                                              "bytes.greater", "bytes.greater_equal"};
  CompareOp op = CompareOp(v.op);
  if (op == CompareOp::In || op == CompareOp::NotIn)
    return replaceWithCallOf(t, v, op == CompareOp::In ? "bytes.holds" : "bytes.lacks");
  return replaceWithCallOf(t, v, functions[unsigned(op)]);
}

bool visitCompare(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  if (std::optional<bool> ofTables = visitTableCompare(t, v))
    return *ofTables;
  if (std::optional<bool> ofInstances = visitInstanceCompare(t, v))
    return *ofInstances;
  if (b.type.isList() && (op == CompareOp::In || op == CompareOp::NotIn))
    return replaceWithCallOf(t, v, op == CompareOp::In ? "list.holds" : "list.lacks");
  if (a.type.isList() && b.type.isList() && op <= CompareOp::Ge) {
    static constexpr const char *functions[] = {"list.equals",  "list.differs",
                                                "list.less",    "list.less_equal",
                                                "list.greater", "list.greater_equal"};
    return replaceWithCallOf(t, v, functions[unsigned(op)]);
  }
  bool isKnown = a.constant && b.constant;
  if (areTextsOrNone(a.type, b.type) && (op == CompareOp::Eq || op == CompareOp::Ne))
    return replaceWithCallOf(t, v,
                             op == CompareOp::Eq ? "str.equals_or_none" : "str.differs_or_none");
  if (a.type == runtimeStringType() && b.type == runtimeStringType() && !isKnown &&
      (op == CompareOp::In || op == CompareOp::NotIn))
    return replaceWithCallOf(t, v, op == CompareOp::In ? "str.holds" : "str.lacks");
  if (a.type.isEnumMember() && b.type.isEnumMember())
    return visitEnumCompare(t, v);
  if ((a.type.isChoice() && isFunctionOrTag(t, b)) ||
      (b.type.isChoice() && isFunctionOrTag(t, a))) {
    convertFunctionsToTags(t, v);
    return setType(v, boolType());
  }
  if (std::optional<bool> ofCharacters = visitCharactersCompare(t, v))
    return *ofCharacters;
  if (isKnown)
    if (std::optional<bool> answer = foldClassComparison(*a.constant, *b.constant, op))
      return setConstant(v, Constant::ofBool(*answer));
  if (std::optional<bool> same = foldIdentityComparison(a, b, op)) {
    bool wantsSame = op == CompareOp::Is || op == CompareOp::Eq;
    return setConstant(v, Constant::ofBool(*same == wantsSame));
  }
  if (a.type.is(TypeKind::Optional) ||
      b.type.is(TypeKind::Optional)) // compares with None; other optionals are unwrapped
    return setType(v, boolType());
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    if (a.type != b.type)
      return setConstant(v, Constant::ofBool(op == CompareOp::IsNot));
    if (a.type.isContainer() || a.type.isArray())
      return setType(v, boolType());
    op = identityToEquality(op);
  }
  if (a.constant && b.constant)
    v.constant = foldCompare(op, *a.constant, *b.constant);
  if (v.constant)
    return setType(v, boolType());
  static constexpr const char *functions[] = {"numpy.equal",   "numpy.not_equal",
                                              "numpy.less",    "numpy.less_equal",
                                              "numpy.greater", "numpy.greater_equal"};
  if (t.rules().makesArrays && isBytes(a.type) && isBytes(b.type))
    return visitBytesCompare(t, v);
  if (isElementwiseOnArrays(t, v) && op != CompareOp::In && op != CompareOp::NotIn)
    return replaceWithCallOf(t, v, functions[unsigned(op)]);
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    auto isNumeric = [](Type t) { return t.isScalar() || t.isComplex(); };
    auto isText = [](Type t) { return t == runtimeStringType(); };
    if (isText(a.type) && b.type.isTuple() && llvm::all_of(b.type->elements, isText))
      return setType(v, boolType());
    if (a.type.isTime() && b.type.isArray() && unifyTimes(a.type, b.type->element))
      return setType(v, boolType());
    bool isContainer = b.type.isTuple()   ? llvm::all_of(b.type->elements, isNumeric)
                       : b.type.isArray() ? isNumeric(b.type->element)
                                          : b.type.is(TypeKind::Range);
    bool isHost = t.rules().target == Target::Host;
    if (isHost && b.type.isTuple() && !(isContainer && isNumeric(a.type)))
      return replaceWithCallOf(t, v, op == CompareOp::In ? "tuple.holds" : "tuple.lacks");
    if (!isContainer || !isNumeric(a.type) || (b.type.is(TypeKind::Range) && a.type.isComplex()))
      t.error(v, "'in' takes a number and a tuple, an array or a range of numbers",
              describeType(a) + " and " + describeType(b));
    return setType(v, boolType());
  }
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  auto isTyped = [](Type type) { return (type.isList() || type.isDict()) && type.isShared(); };
  if (equality && (isTyped(a.type) || isTyped(b.type)))
    return setConstant(v, Constant::ofBool(op == CompareOp::Ne));
  if (equality && a.type.isTuple() && b.type.isTuple() &&
      a.type->elements.size() != b.type->elements.size())
    return setConstant(v, Constant::ofBool(op == CompareOp::Ne));
  if (!areComparable(a.type, b.type, op))
    t.error(v, "cannot compare with " + std::string(symbolOf(op)),
            describeType(a) + " and " + describeType(b),
            a.type.isArray() || b.type.isArray() ? "index the array to compare its elements"
                                                 : explainTimeMismatch(a.type, b.type));
  return setType(v, boolType());
}

bool visitTruth(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0];
  if (a.type.isInstance() || a.type.isStructure())
    return visitInstanceTruth(t, v);
  if (a.type.isContainer() || isCharacters(a.type) ||
      (a.type == runtimeStringType() && !a.constant))
    return setType(v, boolType());
  if (a.type.is(TypeKind::Optional))
    return setType(v, boolType());
  if (a.constant) {
    std::optional<bool> truth = truthOf(*a.constant);
    if (truth)
      v.constant = Constant::ofBool(*truth);
  }
  if (a.type.is(TypeKind::None))
    v.constant = Constant::ofBool(false);
  if (a.type.isTuple())
    v.constant = Constant::ofBool(!a.type->elements.empty());
  if (a.type.isArray() && (a.type->element.isScalar() || a.type->element.isComplex()))
    return setType(v, boolType());
  if (a.type.is(TypeKind::Closure) || a.type.isChoice())
    v.constant = Constant::ofBool(true);
  if (!v.constant && !a.type.isScalar() && !a.type.isComplex() && !a.type.is(TypeKind::TimeDelta))
    t.error(v, describeType(a) + " has no truth value in a " + t.rules().noun, a.type.name(),
            a.type.isArray() ? "test an element, or a.size" : "");
  return setType(v, boolType());
}

} // namespace heddle::python
