// Operators and comparisons, by the types of their operands.

#include "frontend/python/emit/operators.h"

#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/fold.h"

namespace heddle::python {
namespace {

/// A value in a tuple that is not a tuple itself: a scalar or a string.
struct Leaf {
  Type type;
  const Constant *known = nullptr; ///< of a compile-time string
};

/// Adds the leaves of a tuple of that type with the constant `known`.
void collectTupleLeaves(Type type, const Constant *known, std::vector<Leaf> &out) {
  if (type.isTuple()) {
    bool isKnown = known && known->kind == ConstantKind::Tuple;
    for (size_t i = 0; i < type->elements.size(); ++i)
      collectTupleLeaves(type->elements[i], isKnown ? &known->items[i] : nullptr, out);
  } else if (type.isComplex()) { // only == and != with another complex number
    out.insert(out.end(), 2, {complexPartType(type)});
  } else {
    out.push_back({type, known});
  }
}

/// Compares two compile-time strings. A string without a constant is from a signature, and no launch passes it.
bool compareKnownTexts(CompareOp op, const Constant *x, const Constant *y) {
  bool areKnown = x && y && x->kind == ConstantKind::String && y->kind == ConstantKind::String;
  std::optional<Constant> result = areKnown ? foldCompare(op, *x, *y) : std::nullopt;
  return result ? result->integer : op == CompareOp::Ne;
}

llvm::Value *compareTupleLeaves(Emitter &e, CompareOp op, llvm::ArrayRef<llvm::Value *> x,
                                Leaf left, llvm::ArrayRef<llvm::Value *> y, Leaf right) {
  if (left.type == runtimeStringType() && right.type == runtimeStringType())
    return compareTexts(e, op, Parts(x.begin(), x.end()), Parts(y.begin(), y.end()));
  if (left.type.isString() && right.type.isString())
    return e.b.getInt1(compareKnownTexts(op, left.known, right.known));
  if (left.type.isString() || right.type.isString()) // they are only compared for equality
    return e.b.getInt1(op == CompareOp::Ne);
  return compare(e, op, x[0], left.type, y[0], right.type);
}

/// Compares tuples by the first elements that differ.
llvm::Value *compareTuples(Emitter &e, CompareOp op, Value &a, Value &c) {
  llvm::IRBuilder<> &b = e.b;
  std::vector<Leaf> left, right;
  Parts x = e.parts(a), y = e.parts(c);
  Type common =
      x.size() == y.size() ? Type() : unify(a.type, c.type); // a real number and a complex one
  auto known = [](const Value &v) { return v.constant ? &*v.constant : nullptr; };
  collectTupleLeaves(common ? common : a.type, known(a), left);
  collectTupleLeaves(common ? common : c.type, known(c), right);
  if (common) {
    x = convert(e, x, a.type, common);
    y = convert(e, y, c.type, common);
  }
  bool orEqual = op == CompareOp::Eq || op == CompareOp::Le || op == CompareOp::Ge;
  llvm::Value *result = b.getInt1(orEqual);
  CompareOp strict = op == CompareOp::Le ? CompareOp::Lt : op == CompareOp::Ge ? CompareOp::Gt : op;
  if (left.size() != right.size()) // the longer one is greater
    result = b.getInt1(strict == CompareOp::Lt ? left.size() < right.size()
                                               : left.size() > right.size());
  // Start at the last element: later ones decide only if earlier ones are equal.
  auto placesOf = [&](const std::vector<Leaf> &leaves) {
    std::vector<size_t> places{0};
    for (const Leaf &leaf : leaves)
      places.push_back(places.back() + partTypes(b.getContext(), leaf.type).size());
    return places;
  };
  std::vector<size_t> placesX = placesOf(left), placesY = placesOf(right);
  auto leaf = [](const Parts &parts, const std::vector<size_t> &places, size_t i) {
    return llvm::ArrayRef(parts).slice(places[i], places[i + 1] - places[i]);
  };
  for (size_t i = std::min(left.size(), right.size()); i-- > 0;) {
    auto by = [&](CompareOp how) {
      return compareTupleLeaves(e, how, leaf(x, placesX, i), left[i], leaf(y, placesY, i),
                                right[i]);
    };
    llvm::Value *equal = by(CompareOp::Eq);
    result = b.CreateSelect(equal, result, by(strict));
  }
  return result;
}

} // namespace

TimeOperand toTimeOperand(Emitter &e, Value &v) {
  if (v.type.isTime())
    return {e.parts(v)[0], v.type};
  Type wide = v.type.isFloat() ? float64Type() : int64Type();
  return {e.scalar(v, wide), wide};
}

Parts emitBinary(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.inPlace && v.type.isArray())
    return emitInPlaceArrayOperator(e, v);
  if (v.type.isTuple()) {
    Parts out = e.parts(*v.operands[0]);
    out.append(e.parts(*v.operands[1]));
    return out;
  }
  Value &x = *v.operands[0], &y = *v.operands[1];
  if (v.type.isComplex())
    return emitComplexBinaryOperator(e, BinaryOp(v.op), x, y, v.type, v.span);
  if (x.type.isTime() || y.type.isTime())
    return {emitTimeBinary(b, BinaryOp(v.op), toTimeOperand(e, x), toTimeOperand(e, y), v.type)};
  return {emitBinaryOperator(e, BinaryOp(v.op), x, y, v.type, v.span)};
}

namespace {

/// The truth of a one-element array is that of its element. An empty array is false in kernels, and an error on the
/// host, as since NumPy 2.2.
llvm::Value *emitArrayTruth(Emitter &e, Value &array) {
  llvm::IRBuilder<> &b = e.b;
  Type element = array.type->element;
  ElementsOf elements(e, array);
  llvm::Value *size = elements.size();
  e.trapIf(b.CreateICmpUGT(size, e.int64(1)), array.span, "ValueError",
           "The truth value of an array with more than one element is ambiguous. Use a.any() or "
           "a.all()");
  if (e.function().rules->target == Target::Host)
    e.trapIf(b.CreateICmpEQ(size, e.int64(0)), array.span, "ValueError",
             "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that "
             "an array is not empty.");
  Variable result(e, {b.getFalse()});
  e.emitLoop(size, [&](llvm::Value *) {
    Parts first = elements.first();
    result.set(
        {element.isComplex() ? emitComplexTruth(e, first) : emitScalarTruth(e, first[0], element)});
  });
  return result.get()[0];
}

} // namespace

llvm::Value *emitTruth(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.type.isArray())
    return emitArrayTruth(e, v);
  Parts all = e.parts(v);
  if (v.type.isTable())
    return b.CreateICmpNE(tableSize(e, v.type, all[0]), e.int64(0));
  if (v.type.isList())
    return b.CreateICmpNE(loadListSize(e, all[0]), e.int64(0));
  if (v.type == runtimeStringType())
    return b.CreateICmpNE(all[1], e.int64(0));
  if (isCharacters(v.type))
    return b.CreateICmpNE(charactersLength(e, all, v.type), e.int64(0));
  if (!v.type.is(TypeKind::Optional))
    return v.type.isComplex() ? emitComplexTruth(e, all) : emitScalarTruth(e, all[0], v.type);
  Type element = v.type->element;
  if (element == runtimeStringType())
    return b.CreateAnd(all[0], b.CreateICmpNE(all[2], e.int64(0)));
  return element.isScalar() ? b.CreateAnd(all[0], emitScalarTruth(e, all[1], element)) : all[0];
}

namespace {

/// True if a string is in a tuple of constant strings.
llvm::Value *emitIsInTexts(Emitter &e, Value &text, Value &tuple) {
  llvm::Value *found = e.b.getFalse();
  for (const Constant &item : tuple.constant->items) {
    Value &known = e.makeTemporary(item.valueType(), tuple.span);
    known.opcode = Opcode::Constant;
    known.constant = item;
    found = e.b.CreateOr(found, compareCharacters(e, CompareOp::Eq, text, known));
  }
  return found;
}

llvm::Value *emitIsInTuple(Emitter &e, Value &number, Value &tuple) {
  llvm::Value *found = e.b.getFalse();
  Parts candidates = e.parts(tuple);
  for (size_t i = 0; i < tuple.type->elements.size(); ++i) {
    Parts candidate = tupleElement(e, candidates, tuple.type, i);
    llvm::Value *equal =
        number.type.isString()
            ? compareTexts(e, CompareOp::Eq, e.parts(number), candidate)
            : emitEqualNumbers(e, e.parts(number), number.type, candidate, tuple.type->elements[i]);
    found = e.b.CreateOr(found, equal);
  }
  return found;
}

llvm::Value *emitIsInArray(Emitter &e, Value &number, Value &array) {
  Variable found(e, {e.b.getFalse()});
  ElementsOf(e, array).forEach([&](const Parts &v, llvm::Value *) {
    llvm::Value *equal = emitEqualNumbers(e, e.parts(number), number.type, v, array.type->element);
    found.set({e.b.CreateOr(found.get()[0], equal)});
  });
  return found.get()[0];
}

/// True if the number is the start plus a whole number of steps, fewer than the trip count of the range.
llvm::Value *emitIsInRange(Emitter &e, Value &number, Value &range) {
  llvm::IRBuilder<> &b = e.b;
  Type element = range.type->element;
  Parts parts = e.parts(range);
  llvm::Value *v = e.parts(number)[0];
  llvm::Value *whole = cast(e, v, number.type, int64Type());
  llvm::Value *isWhole = compare(e, CompareOp::Eq, v, number.type, whole, int64Type());
  llvm::Value *start = cast(e, parts[0], element, int64Type());
  llvm::Value *step = cast(e, parts[1], element, int64Type());
  llvm::Value *up = b.CreateICmpSGT(step, e.int64(0));
  llvm::Value *distance = b.CreateSelect(up, b.CreateSub(whole, start), b.CreateSub(start, whole));
  llvm::Value *stride = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::umax, b.CreateSelect(up, step, b.CreateNeg(step)), e.int64(1));
  llvm::Value *onStep = b.CreateICmpEQ(b.CreateURem(distance, stride), e.int64(0));
  llvm::Value *within = b.CreateICmpULT(b.CreateUDiv(distance, stride), parts[2]);
  return b.CreateAnd(isWhole, b.CreateAnd(onStep, within));
}

/// True if two arrays of one type refer to the same memory with the same shape and strides.
llvm::Value *emitIsSameArray(Emitter &e, Value &a, Value &c) {
  llvm::Value *same = e.b.getTrue();
  for (auto [one, other] : llvm::zip(e.parts(a), e.parts(c)))
    same = e.b.CreateAnd(same, e.b.CreateICmpEQ(one, other));
  return same;
}

} // namespace

namespace {

/// A host string, or a fixed-length string converted to one.
Parts convertToHostString(Emitter &e, Value &v) {
  return isCharacters(v.type) ? charactersToString(e, e.parts(v), v.type) : e.parts(v);
}

} // namespace

Parts emitCompare(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  Value &a = *v.operands[0], &c = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  for (Value *side : {&a, &c})
    if (side->type.is(TypeKind::Optional)) { // compared with None
      llvm::Value *isSome = e.parts(*side)[0];
      bool wantsNone = op == CompareOp::Is || op == CompareOp::Eq;
      return {wantsNone ? b.CreateNot(isSome) : isSome};
    }
  if (a.type.isContainer() && (op == CompareOp::Is || op == CompareOp::IsNot)) {
    llvm::Value *same = b.CreateICmpEQ(e.parts(a)[0], e.parts(c)[0]);
    return {op == CompareOp::Is ? same : b.CreateNot(same)};
  }
  if (a.type.isArray() && (op == CompareOp::Is || op == CompareOp::IsNot)) {
    llvm::Value *same = emitIsSameArray(e, a, c);
    return {op == CompareOp::Is ? same : b.CreateNot(same)};
  }
  op = identityToEquality(op);
  if (a.type.isChoice()) {
    Type both = unify(a.type, c.type);
    return {compare(e, op, convert(e, e.parts(a), a.type, both)[0], int64Type(),
                    convert(e, e.parts(c), c.type, both)[0], int64Type())};
  }
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    llvm::Value *found = isCharacters(a.type)         ? emitIsInTexts(e, a, c)
                         : c.type.is(TypeKind::Range) ? emitIsInRange(e, a, c)
                         : c.type.isArray()           ? emitIsInArray(e, a, c)
                                                      : emitIsInTuple(e, a, c);
    return {op == CompareOp::In ? found : b.CreateNot(found)};
  }
  bool ofCharacters = isCharacters(a.type) || isCharacters(c.type);
  auto isKnown = [&](Value &v) { return isCharacters(v.type) || v.constant; };
  if (ofCharacters && isKnown(a) && isKnown(c))
    return {compareCharacters(e, op, a, c)};
  if (a.type == runtimeStringType() || c.type == runtimeStringType())
    return {compareTexts(e, op, convertToHostString(e, a), convertToHostString(e, c))};
  if (a.type.isTuple())
    return {compareTuples(e, op, a, c)};
  // From a kernel's signature: no launch passes strings.
  if (a.type == constantStringType() || c.type == constantStringType())
    return {e.b.getFalse()};
  auto numberOf = [](Type t) { return t.is(TypeKind::Enum) ? t->element : t; };
  Type ta = numberOf(a.type), tc = numberOf(c.type);
  if (ta.isComplex() || tc.isComplex()) {
    llvm::Value *equal = emitEqualNumbers(e, e.parts(a), ta, e.parts(c), tc);
    return {op == CompareOp::Eq ? equal : b.CreateNot(equal)};
  }
  return {compare(e, op, e.parts(a)[0], ta, e.parts(c)[0], tc)};
}

} // namespace heddle::python
