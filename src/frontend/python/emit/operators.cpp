// Operators and comparisons, by the types of their operands.

#include "frontend/python/emit/operators.h"

#include "frontend/python/emit/assign_elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/elements.h"
#include "frontend/python/emit/lists.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"

namespace heddle::python {
namespace {

/// Tuples of scalars compare by their first elements that differ.
llvm::Value *compareTuples(Emitter &e, CompareOp op, Value &a, Value &c) {
  llvm::IRBuilder<> &b = e.b;
  std::vector<Type> left, right;
  auto flatten = [](Type t, std::vector<Type> &out, auto &self) -> void {
    if (t.isTuple())
      for (Type e : t->elements)
        self(e, out, self);
    else if (t.isComplex()) // == and != alone, with another complex number
      out.insert(out.end(), 2, partOf(t));
    else
      out.push_back(t);
  };
  Parts x = e.parts(a), y = e.parts(c);
  Type common =
      x.size() == y.size() ? Type() : unify(a.type, c.type); // a real number beside a complex one
  flatten(common ? common : a.type, left, flatten);
  flatten(common ? common : c.type, right, flatten);
  if (common) {
    x = convert(e, x, a.type, common);
    y = convert(e, y, c.type, common);
  }
  bool orEqual = op == CompareOp::Eq || op == CompareOp::Le || op == CompareOp::Ge;
  llvm::Value *result = b.getInt1(orEqual);
  CompareOp strict = op == CompareOp::Le ? CompareOp::Lt : op == CompareOp::Ge ? CompareOp::Gt : op;
  if (left.size() != right.size()) // the longer one comes later
    result = b.getInt1(strict == CompareOp::Lt ? left.size() < right.size()
                                               : left.size() > right.size());
  for (size_t i = std::min(x.size(), y.size()); i-- > 0;) {
    llvm::Value *equal = compare(e, CompareOp::Eq, x[i], left[i], y[i], right[i]);
    llvm::Value *decided = compare(e, strict, x[i], left[i], y[i], right[i]);
    result = b.CreateSelect(equal, result, decided);
  }
  return result;
}

} // namespace

TimeOperand timeOperand(Emitter &e, Value &v) {
  if (v.type.isTime())
    return {e.parts(v)[0], v.type};
  Type wide = v.type.isFloat() ? float64Type() : int64Type();
  return {e.scalar(v, wide), wide};
}

Parts emitBinary(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.inPlace && v.type.isArray())
    return emitInPlace(e, v);
  if (v.type.isTuple()) {
    Parts out = e.parts(*v.operands[0]);
    out.append(e.parts(*v.operands[1]));
    return out;
  }
  Value &x = *v.operands[0], &y = *v.operands[1];
  if (v.type.isComplex())
    return complexOperation(e, BinaryOp(v.op), x, y, v.type, v.span);
  if (x.type.isTime() || y.type.isTime())
    return {timeBinary(b, BinaryOp(v.op), timeOperand(e, x), timeOperand(e, y), v.type)};
  return {binary(e, BinaryOp(v.op), x, y, v.type, v.span)};
}

namespace {

/// An array of one element is as true as that, one without elements is false.
llvm::Value *truthOfArray(Emitter &e, Value &array) {
  llvm::IRBuilder<> &b = e.b;
  Type element = array.type->element;
  ElementsOf elements(e, array);
  llvm::Value *size = elements.size();
  e.trapIf(b.CreateICmpUGT(size, e.int64(1)), array.span, "ValueError",
           "the truth of an array with more than one element is not defined");
  Variable result(e, {b.getFalse()});
  e.loop(size, [&](llvm::Value *) {
    Parts first = elements.first();
    result.set({element.isComplex() ? complexTruth(e, first) : truth(e, first[0], element)});
  });
  return result.get()[0];
}

} // namespace

llvm::Value *emitTruth(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.type.isArray())
    return truthOfArray(e, v);
  Parts all = e.parts(v);
  if (v.type.isList())
    return b.CreateICmpNE(sizeOfList(e, all[0]), e.int64(0));
  if (!v.type.is(TypeKind::Optional))
    return v.type.isComplex() ? complexTruth(e, all) : truth(e, all[0], v.type);
  Type element = v.type->element;
  return element.isScalar() ? b.CreateAnd(all[0], truth(e, all[1], element)) : all[0];
}

namespace {

llvm::Value *isInTuple(Emitter &e, Value &number, Value &tuple) {
  llvm::Value *found = e.b.getFalse();
  Parts candidates = e.parts(tuple);
  for (size_t i = 0; i < tuple.type->elements.size(); ++i)
    found = e.b.CreateOr(found, equalNumbers(e, e.parts(number), number.type,
                                             tupleElement(e, candidates, tuple.type, i),
                                             tuple.type->elements[i]));
  return found;
}

llvm::Value *isInArray(Emitter &e, Value &number, Value &array) {
  Variable found(e, {e.b.getFalse()});
  ElementsOf(e, array).each([&](const Parts &v, llvm::Value *) {
    llvm::Value *equal = equalNumbers(e, e.parts(number), number.type, v, array.type->element);
    found.set({e.b.CreateOr(found.get()[0], equal)});
  });
  return found.get()[0];
}

/// Whether the number is the start and a whole number of steps, as many as the range has.
llvm::Value *isInRange(Emitter &e, Value &number, Value &range) {
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

} // namespace

Parts emitCompare(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  Value &a = *v.operands[0], &c = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  for (Value *side : {&a, &c})
    if (side->type.is(TypeKind::Optional)) { // with None
      llvm::Value *isSome = e.parts(*side)[0];
      bool wantsNone = op == CompareOp::Is || op == CompareOp::Eq;
      return {wantsNone ? b.CreateNot(isSome) : isSome};
    }
  op = equalityOf(op);
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    llvm::Value *found = c.type.is(TypeKind::Range) ? isInRange(e, a, c)
                         : c.type.isArray()         ? isInArray(e, a, c)
                                                    : isInTuple(e, a, c);
    return {op == CompareOp::In ? found : b.CreateNot(found)};
  }
  if (a.type.isTuple())
    return {compareTuples(e, op, a, c)};
  auto numberOf = [](Type t) { return t.is(TypeKind::Enum) ? t->element : t; };
  Type ta = numberOf(a.type), tc = numberOf(c.type);
  if (ta.isComplex() || tc.isComplex()) {
    llvm::Value *equal = equalNumbers(e, e.parts(a), ta, e.parts(c), tc);
    return {op == CompareOp::Eq ? equal : b.CreateNot(equal)};
  }
  return {compare(e, op, e.parts(a)[0], ta, e.parts(c)[0], tc)};
}

} // namespace heddle::python
