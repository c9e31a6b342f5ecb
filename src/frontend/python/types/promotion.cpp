#include "frontend/python/types/promotion.h"

#include "frontend/python/types/records.h"
#include "frontend/python/types/times.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle::python {

std::string_view symbolOf(BinaryOp op) {
  static constexpr std::string_view symbols[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                                 "<<", ">>", "&", "|", "^",  "@"};
  return symbols[unsigned(op)];
}
std::string_view symbolOf(UnaryOp op) {
  static constexpr std::string_view symbols[] = {"+", "-", "~", "not"};
  return symbols[unsigned(op)];
}
std::string_view symbolOf(CompareOp op) {
  static constexpr std::string_view symbols[] = {"==", "!=", "<",      "<=", ">",
                                                 ">=", "is", "is not", "in", "not in"};
  return symbols[unsigned(op)];
}

CompareOp identityToEquality(CompareOp op) {
  return op == CompareOp::Is ? CompareOp::Eq : op == CompareOp::IsNot ? CompareOp::Ne : op;
}

namespace {

bool isIntegral(Type t) { return t.isInteger() || t.isBool(); }

/// int64 if either operand is signed (bool counts as signed), otherwise uint64.
Type wideIntegerType(Type a, Type b) {
  return a.is(TypeKind::UInt) && b.is(TypeKind::UInt) ? intType(64, false) : intType(64);
}

/// True if float32 holds every value of `t` (numba's safe conversions: 8-bit integers, int16 and bool).
bool isTypeWithinFloat32(Type t) {
  return t.isBool() || (t.isInteger() && (t->bits == 8 || (t->bits == 16 && t.isSigned())));
}

/// True if a number converts implicitly to a 16-bit float, as in numba-cuda: the same type, bool and int8.
bool convertsToHalf(Type half, Type t) { return t == half || t.isBool() || t == intType(8); }

bool fitsIntoFloat32(Type t) { return t == floatType(32) || t.isHalf() || isTypeWithinFloat32(t); }

/// The common type of two scalars, at least one of them a float.
Type commonFloatType(Type a, Type b) {
  if (a.isHalf() && convertsToHalf(a, b))
    return a;
  if (b.isHalf() && convertsToHalf(b, a))
    return b;
  return fitsIntoFloat32(a) && fitsIntoFloat32(b) ? floatType(32) : floatType(64);
}

/// 16-bit floats have native + - * /; other operators compute in float32.
Type floatTypeForArithmetic(BinaryOp op, Type a, Type b) {
  Type type = commonFloatType(a, b);
  bool own =
      op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul || op == BinaryOp::TrueDiv;
  return type.isHalf() && !own ? floatType(32) : type;
}

/// complex64 if both operands fit its parts, otherwise complex128; unknown for operators without complex operands.
Type complexResultType(BinaryOp op, Type a, Type b) {
  bool exists = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul ||
                op == BinaryOp::TrueDiv || op == BinaryOp::Pow;
  if (!exists || !(a.isScalar() || a.isComplex()) || !(b.isScalar() || b.isComplex()))
    return {};
  auto narrow = [](Type t) { return t == complexType(64) || fitsIntoFloat32(typeAfterLoad(t)); };
  return complexType(narrow(a) && narrow(b) ? 64 : 128);
}

bool isBitwise(BinaryOp op) {
  return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
}
bool isShift(BinaryOp op) { return op == BinaryOp::LShift || op == BinaryOp::RShift; }

} // namespace

Type operandTypeFor(BinaryOp op, Type a, Type b) {
  a = typeAfterLoad(a);
  b = typeAfterLoad(b);
  if (!a.isScalar() || !b.isScalar() || op == BinaryOp::MatMul)
    return {};
  bool floats = a.isFloat() || b.isFloat();
  if (isBitwise(op) || isShift(op)) {
    if (floats)
      return {};
    if (isShift(op))
      return a.is(TypeKind::UInt) ? intType(64, false) : intType(64);
    return a.isBool() && b.isBool() ? boolType() : wideIntegerType(a, b);
  }
  if (op == BinaryOp::Pow) {
    // numba's table for ** has rows (float32, integer) but none for bool. float32 holds bools exactly, so they match
    // the row (float32, int32).
    if ((a == floatType(32) || a.isHalf()) && isIntegral(b))
      return floatType(32);
    if (a.isBool() && b == intType(32))
      return floatType(32);
  }
  if (floats)
    return floatTypeForArithmetic(op, a, b);
  return op == BinaryOp::TrueDiv ? floatType(64) : wideIntegerType(a, b);
}

Type binaryType(BinaryOp op, Type a, Type b) {
  if (a.isTime() || b.isTime())
    return timeBinaryType(op, a, b);
  if (a.isComplex() || b.isComplex())
    return complexResultType(op, a, b);
  return operandTypeFor(op, a, b);
}

Type unaryType(UnaryOp op, Type a) {
  a = typeAfterLoad(a);
  if (a.isTime())
    return timeUnaryType(op, a);
  if (a.isComplex())
    return op == UnaryOp::Not ? boolType() : op == UnaryOp::Invert ? Type() : a;
  if (!a.isScalar())
    return {};
  switch (op) {
  case UnaryOp::Not:
    return boolType();
  case UnaryOp::Invert:
    if (a.isFloat())
      return {};
    if (a.isBool())
      return a;
    break;
  case UnaryOp::Pos:
  case UnaryOp::Neg:
    break;
  }
  if (a.isFloat())
    return a;
  return a.is(TypeKind::UInt) ? intType(64, false) : intType(64);
}

Type comparisonType(Type a, Type b) {
  a = typeAfterLoad(a);
  b = typeAfterLoad(b);
  if (a.isBool() && b.isBool())
    return a;
  if (a.isFloat() || b.isFloat())
    return commonFloatType(a, b);
  bool mixed = (a == intType(64, false) && !b.is(TypeKind::UInt) && !b.isBool()) ||
               (b == intType(64, false) && !a.is(TypeKind::UInt) && !a.isBool());
  if (mixed)
    return {};
  if (a == intType(64, false) || b == intType(64, false))
    return intType(64, false);
  return intType(64);
}

namespace {

/// NumPy's promote_types.
Type promoteNumbers(Type a, Type b) {
  a = typeAfterLoad(a);
  b = typeAfterLoad(b);
  if (a.isBool())
    return b;
  if (b.isBool())
    return a;
  if (a.isHalf() && b.isHalf()) // float16 and bfloat16: float32 holds both
    return floatType(32);
  if (a.isFloat() && b.isFloat())
    return floatType(std::max(a->bits, b->bits));
  if (a.isFloat() || b.isFloat()) {
    Type whole = a.isFloat() ? b : a;
    Type real = a.isFloat() ? a : b;
    if (real.isHalf() && whole->bits == 16)
      return floatType(32);
    return whole->bits <= 16 ? real : floatType(64);
  }
  if (a.kind() == b.kind())
    return intType(std::max(a->bits, b->bits), a.isSigned());
  Type plus = a.isSigned() ? a : b;
  Type minus = a.isSigned() ? b : a; // the unsigned one
  if (plus->bits > minus->bits)
    return plus;
  return minus->bits == 64 ? floatType(64) : intType(minus->bits * 2);
}

/// The complex type that holds both numbers, at least one of them complex.
Type promoteComplex(Type a, Type b) {
  auto part = [](Type t) { return t.isComplex() ? floatType(t->bits / 2) : t; };
  Type real = promoteNumbers(part(a), part(b));
  return complexType(real == float64Type() ? 128 : 64);
}

/// The common type of records that differ in known alignment.
Type unifyElementsIfRecords(Type a, Type b) {
  return a.isRecord() && b.isRecord() ? unifyRecords(a, b) : Type();
}

Type unifyArrays(Type a, Type b) {
  Type element =
      a->element == b->element ? a->element : unifyElementsIfRecords(a->element, b->element);
  if (!element || a->ndim != b->ndim)
    return {};
  ArrayTraits x = traitsOfArray(a), y = traitsOfArray(b);
  return arrayType(element, a->ndim,
                   {.layout = x.layout == y.layout ? x.layout : Layout::Any,
                    .readOnly = x.readOnly || y.readOnly,
                    .space = x.space == y.space ? x.space : simt::Generic,
                    .packed = x.packed || y.packed,
                    .ofBytes = x.ofBytes && y.ofBytes});
}

/// An optional of type `t`; unknown if there is no optional of that type.
Type makeOptionalIfPossible(Type t) {
  if (!t || t.is(TypeKind::Optional))
    return t;
  bool isValue = t.isScalar() || t.isComplex() || t.isArray() || t.isTuple() || t.isTime() ||
                 t.isString() || t.isRecord() || t.isShared() || t.isContainer() || t.isChoice();
  return isValue && !holdsCompileTimeObject(t) ? optionalType(t) : Type();
}

/// A choice of the functions of both.
Type unifyFunctionTags(Type a, Type b) {
  std::vector<Type> functions = a->elements;
  for (Type function : b->elements)
    if (!llvm::is_contained(functions, function))
      functions.push_back(function);
  return functionTagType(std::move(functions));
}

} // namespace

Type unify(Type a, Type b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  if (a.is(TypeKind::None) || b.is(TypeKind::None))
    return makeOptionalIfPossible(a.is(TypeKind::None) ? b : a);
  if (a.is(TypeKind::Optional) || b.is(TypeKind::Optional)) {
    auto inner = [](Type t) { return t.is(TypeKind::Optional) ? t->element : t; };
    return makeOptionalIfPossible(unify(inner(a), inner(b)));
  }
  if (a.isScalar() && b.isScalar())
    return promoteNumbers(a, b);
  if ((a.isComplex() || b.isComplex()) && (a.isScalar() || a.isComplex()) &&
      (b.isScalar() || b.isComplex()))
    return promoteComplex(a, b);
  if (a.isArray() && b.isArray())
    return unifyArrays(a, b);
  if (a.isStructure() || b.isStructure())
    return {};
  if (a.isTuple() && b.isTuple() && a->elements.size() == b->elements.size()) {
    std::vector<Type> elements;
    for (size_t i = 0; i < a->elements.size(); ++i) {
      elements.push_back(unify(a->elements[i], b->elements[i]));
      if (!elements.back())
        return {};
    }
    return a->identity == b->identity ? tupleTypeLike(a, std::move(elements))
                                      : tupleType(std::move(elements));
  }
  if (a.isRecord() && b.isRecord())
    return unifyRecords(a, b);
  if (a.isChoice() && b.isChoice())
    return unifyFunctionTags(a, b);
  if (a.isTime() && b.isTime())
    return unifyTimes(a, b);
  if (a.is(TypeKind::Range) && b.is(TypeKind::Range))
    return rangeType(unify(a->element, b->element));
  return {};
}

bool isStorable(Type value, Type place) {
  if (place.isTime())
    return isTimeStorable(value, place);
  if (place.isStructure())
    return value == place;
  if (place.is(TypeKind::Characters))
    return value.is(TypeKind::Characters) && value->element == place->element;
  if (!place.isRecord())
    return (value.isScalar() || value.isComplex()) && isConvertible(value, place);
  if (value.isRecord())
    return haveSameFields(value, place);
  if (!value.isTuple() || value->elements.size() != place->fields.size())
    return false;
  for (size_t i = 0; i < place->fields.size(); ++i)
    if (!place->fields[i].shape.empty() || !isStorable(value->elements[i], place->fields[i].type))
      return false;
  return true;
}

namespace {

bool isContiguous(Type t) { return t.isArray() && t->layout != Layout::Any; }

} // namespace

bool isConvertible(Type from, Type to) {
  if (to.is(TypeKind::Optional))
    return from.is(TypeKind::None) ||
           isConvertible(from.is(TypeKind::Optional) ? from->element : from, to->element);
  if (from == to || (from.isScalar() && to.isScalar()))
    return true;
  if (to.isComplex())
    return from.isScalar() || from.isComplex();
  if (from.isArray() && to.isArray())
    return (from->element == to->element ||
            (from->element.isRecord() && isConvertible(from->element, to->element))) &&
           from->ndim == to->ndim && (to->layout == Layout::Any || from->layout == to->layout) &&
           (to->readOnly || !from->readOnly) && (to->packed || !from->packed);
  if (to.isPointer() && from.isInteger()) // an address
    return from->bits == 64 && to->element.is(TypeKind::None);
  if (to.isPointer()) // a declared function's parameter accepts any pointer
    return (from.isPointer() || isContiguous(from)) &&
           (to->space == simt::Generic || to->space == from->space) &&
           (from->element == to->element || to->element.is(TypeKind::None)) &&
           !(from.isArray() && from->readOnly);
  if (from.isChoice() && to.isChoice())
    return llvm::all_of(from->elements,
                        [&](Type f) { return llvm::is_contained(to->elements, f); });
  if (from.isTime() && to.isTime())
    return unifyTimes(from, to) == to;
  if (from.isRecord() && to.isRecord())
    return haveSameFields(from, to) && from->recordAlignment % to->recordAlignment == 0 &&
           (to->readOnly || !from->readOnly);
  if (from.isStructure() || to.isStructure())
    return false;
  if (from.isTuple() && to.isTuple() && from->elements.size() == to->elements.size()) {
    for (size_t i = 0; i < from->elements.size(); ++i)
      if (!isConvertible(from->elements[i], to->elements[i]))
        return false;
    return true;
  }
  return false;
}

bool convertsWithoutNarrowing(Type from, Type to) {
  auto isNumber = [](Type t) { return t.isScalar() || t.isComplex(); };
  if (to.is(TypeKind::Optional) && !from.is(TypeKind::None))
    return convertsWithoutNarrowing(from.is(TypeKind::Optional) ? from->element : from,
                                    to->element);
  if (isNumber(from) && isNumber(to))
    return unify(from, to) == to;
  if (from.isTuple() && to.isTuple() && from->elements.size() == to->elements.size())
    return llvm::all_of_zip(from->elements, to->elements, convertsWithoutNarrowing);
  return true;
}

bool listAcceptsItem(Type list, Type item) {
  Type element = list->element;
  bool loses = list.isShared() && item.isScalar() && element.isScalar() && item.isFloat() &&
               !element.isFloat();
  return isConvertible(list.isShared() ? toWritableArrayType(item) : item, element) && !loses;
}

Type toWritableArrayType(Type type) {
  if (type.isArray()) {
    ArrayTraits traits = traitsOfArray(type);
    traits.readOnly = false;
    return arrayType(type->element, type->ndim, traits);
  }
  if (type.is(TypeKind::Optional))
    return optionalType(toWritableArrayType(type->element));
  if (!type.isTuple() || type->identity || type.isStructure())
    return type;
  std::vector<Type> elements;
  for (Type element : type->elements)
    elements.push_back(toWritableArrayType(element));
  return tupleType(std::move(elements));
}

} // namespace heddle::python
