// Python's built-in functions.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/constant_text.h"

#include <limits>

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;

Type typeAbs(CallTyping &t) {
  if (t.type(0).is(TypeKind::TimeDelta))
    return t.type(0);
  t.needNumber(0);
  if (t.type(0).isComplex())
    return partOf(t.type(0));
  return t.type(0).isBool() ? intType(8) : t.type(0);
}
Parts emitAbs(CallEmission &c) {
  Type from = c.argument(0)->type, to = c.call.type;
  if (from.isComplex())
    return {complexSize(c.e, c.e.parts(*c.argument(0)))};
  llvm::Value *v = c.scalar(0, to);
  if (to.isFloat())
    return {floatIntrinsic(c.b, llvm::Intrinsic::fabs, {v})};
  return {from.isSigned() || from.isTime()
              ? c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, c.b.getFalse())
              : v};
}

/// The values that min and max choose among: the arguments, or the elements of one tuple.
std::vector<Type> candidates(CallTyping &t) {
  std::vector<Type> types;
  if (t.count() == 1 && t.type(0).isTuple())
    types = t.type(0)->elements;
  else
    for (unsigned i = 0; i < t.count(); ++i)
      types.push_back(t.type(i));
  if (types.empty() || (t.count() == 1 && !t.type(0).isTuple()))
    t.fail(std::string(t.row().shown()) + "() takes two or more numbers, or a tuple of them");
  for (Type type : types)
    if (!type.isScalar())
      t.fail(std::string(t.row().shown()) + "() takes numbers, not " + type.name());
  return types;
}
Type typeExtreme(CallTyping &t) {
  Type result;
  for (Type type : candidates(t))
    result = unify(result, type);
  return result;
}
/// Floats ignore a NaN, as numba.cuda's min and max do.
template <bool isMax> Parts emitExtreme(CallEmission &c) {
  Type type = c.call.type;
  Parts values;
  std::vector<Type> types;
  if (c.count() == 1) {
    values = c.e.parts(*c.argument(0));
    types = c.argument(0)->type->elements;
  } else {
    for (unsigned i = 0; i < c.count(); ++i) {
      values.append(c.e.parts(*c.argument(i)));
      types.push_back(c.argument(i)->type);
    }
  }
  llvm::Value *best = cast(c.e, values[0], types[0], type);
  for (size_t i = 1; i < values.size(); ++i) {
    llvm::Value *v = cast(c.e, values[i], types[i], type);
    if (type.isBool()) {
      best = isMax ? c.b.CreateOr(best, v) : c.b.CreateAnd(best, v);
      continue;
    }
    ID id = type.isFloat()    ? (isMax ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum)
            : type.isSigned() ? (isMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                              : (isMax ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
    best = type.isFloat() ? floatIntrinsic(c.b, id, {best, v})
                          : c.b.CreateBinaryIntrinsic(id, best, v);
  }
  return {best};
}

/// The type of `sum + element`; a bool counts as an integer.
Type typeOfSum(Type sum, Type element) { return binaryType(BinaryOp::Add, sum, element); }

Type typeSum(CallTyping &t) {
  if (!t.type(0).isTuple())
    t.failAt(0, "sum() takes a tuple of numbers, not " + t.type(0).name(),
             t.type(0).isArray() ? "np.sum(a) is the sum of an array" : "");
  if (t.argument(1))
    t.needScalar(1);
  Type sum = t.argument(1) ? t.type(1) : int64Type();
  for (Type element : t.type(0)->elements) {
    if (!element.isScalar())
      t.failAt(0, "sum() takes a tuple of numbers, not " + t.type(0).name());
    sum = typeOfSum(sum, element);
  }
  return sum;
}
/// From the left, each sum in its own type, as a loop over the tuple would be typed.
Parts emitSum(CallEmission &c) {
  Parts values = c.e.parts(*c.argument(0));
  Type type = c.argument(1) ? c.argument(1)->type : int64Type();
  llvm::Value *sum = c.argument(1) ? c.scalar(1, type) : c.e.int64(0);
  for (size_t i = 0; i < values.size(); ++i) {
    Type element = c.argument(0)->type->elements[i], next = typeOfSum(type, element);
    llvm::Value *left = cast(c.e, sum, type, next), *right = cast(c.e, values[i], element, next);
    sum = next.isFloat() ? c.b.CreateFAdd(left, right) : c.b.CreateAdd(left, right);
    type = next;
  }
  return {sum};
}

Type typeInt(CallTyping &t) {
  t.needScalar(0);
  Type from = t.type(0);
  return from.isInteger() ? from : int64Type();
}
Type typeFloat(CallTyping &t) {
  t.needScalar(0);
  if (t.type(0).isBool())
    t.failAt(0, "float() does not take a bool in " + t.rules().plural,
             "use np.float64(x), or 1.0 if x else 0.0");
  return t.type(0).isFloat() ? t.type(0) : floatType(64);
}
Type typeBool(CallTyping &t) {
  t.needNumber(0);
  return boolType();
}
Parts emitCast(CallEmission &c) { return {c.scalar(0, c.call.type)}; }
Parts emitBool(CallEmission &c) {
  if (c.argument(0)->type.isComplex())
    return {complexTruth(c.e, c.e.parts(*c.argument(0)))};
  return emitCast(c);
}

Type typeRound(CallTyping &t) {
  t.needScalar(0);
  if (!t.argument(1) || t.type(1).is(TypeKind::None))
    return int64Type();
  t.needInteger(1);
  if (!t.type(0).isFloat())
    t.failAt(0, "round(x, ndigits) takes a float");
  return t.type(0);
}
/// Half to even. With digits it is CPython's way for doubles without exact decimal conversion: scale, round, scale back.
Parts emitRound(CallEmission &c) {
  Type from = c.argument(0)->type;
  llvm::IRBuilder<> &b = c.b;
  if (c.call.type == int64Type()) {
    if (!from.isFloat())
      return {c.scalar(0, int64Type())};
    llvm::Value *rounded = floatIntrinsic(b, llvm::Intrinsic::rint, {c.scalar(0, from)});
    return {cast(c.e, rounded, from, int64Type())};
  }
  Type wide = floatType(64);
  llvm::Value *x = c.scalar(0, wide), *digits = c.scalar(1, int64Type());
  llvm::Value *up = b.CreateICmpSGE(digits, c.e.int64(0));
  llvm::Value *size = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, digits, b.getFalse());
  llvm::Value *ten = llvm::ConstantFP::get(x->getType(), 10);
  llvm::Value *scale = math(c.e, simt::Op::Pow, {ten, b.CreateSIToFP(size, x->getType())});
  llvm::Value *scaled = b.CreateSelect(up, b.CreateFMul(x, scale), b.CreateFDiv(x, scale));
  llvm::Value *rounded = b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, scaled);
  llvm::Value *back =
      b.CreateSelect(up, b.CreateFDiv(rounded, scale), b.CreateFMul(rounded, scale));
  llvm::Value *isZero = b.CreateFCmpOEQ(rounded, llvm::ConstantFP::get(x->getType(), 0));
  back = b.CreateSelect(isZero, rounded, back); // the scale may be infinite
  llvm::Value *tooLarge = b.CreateFCmpUEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, scaled),
                                          llvm::ConstantFP::getInfinity(x->getType()));
  return {cast(c.e, b.CreateSelect(tooLarge, x, back), wide, from)};
}

Type typePow(CallTyping &t) {
  t.needNumber(0);
  t.needNumber(1);
  return binaryType(BinaryOp::Pow, t.type(0), t.type(1));
}
Parts emitPow(CallEmission &c) {
  if (c.call.type.isComplex())
    return complexOperation(c.e, BinaryOp::Pow, *c.argument(0), *c.argument(1), c.call.type,
                            c.call.span);
  return {binary(c.e, BinaryOp::Pow, *c.argument(0), *c.argument(1), c.call.type, c.call.span)};
}

Type typeDivmod(CallTyping &t) {
  t.needScalar(0);
  t.needScalar(1);
  Type type = binaryType(BinaryOp::FloorDiv, t.type(0), t.type(1));
  return tupleType({type, type});
}
Parts emitDivmod(CallEmission &c) {
  Type type = c.call.type->elements[0];
  llvm::Value *a = c.scalar(0, type), *d = c.scalar(1, type);
  return {floorDivide(c.e, a, d, type, c.call.span), modulo(c.e, a, d, type, c.call.span)};
}

Type typeLen(CallTyping &t) {
  if (t.type(0).isTuple())
    t.call().constant = Constant::ofInt(t.type(0)->elements.size());
  else if (const Constant *c = t.constant(0); c && c->kind == ConstantKind::String)
    t.call().constant = Constant::ofInt(charactersOf(c->text).size());
  else if (!t.type(0).isArray())
    t.failAt(0, "len() takes an array or a tuple, not " + t.type(0).name());
  else if (t.type(0)->ndim == 0)
    t.failAt(0, "len() of an array without dimensions");
  return int64Type();
}
Parts emitLen(CallEmission &c) { return {c.e.parts(*c.argument(0))[1]}; }

/// What a range counts in: int32 when every bound is at most that, uint64 when all are unsigned, else int64.
Type typeRange(CallTyping &t) {
  bool narrow = true, allUnsigned = true;
  for (unsigned i = 0; i < 3; ++i) {
    if (!t.argument(i))
      continue;
    if (!t.type(i).isInteger())
      t.failAt(i, "range() takes integers, not " + t.type(i).name(),
               t.type(i).isFloat() ? "convert it with int(...), or divide with //" : "");
    narrow = narrow && (t.type(i)->bits < 32 || t.type(i) == int32Type());
    allUnsigned = allUnsigned && t.type(i) == intType(64, false);
  }
  const Constant *step = t.constant(2);
  if (step && step->integer == 0)
    t.failAt(2, "the step of range() cannot be zero");
  return rangeType(narrow ? int32Type() : allUnsigned ? intType(64, false) : int64Type());
}
/// The rounds from `from` up to `to` in steps of `by`, at least 1: at most 2^63 - 1, as loops count in int64.
llvm::Value *roundsUp(llvm::IRBuilder<> &b, llvm::Value *from, llvm::Value *to, llvm::Value *by,
                      Type element) {
  bool isSigned = element.isSigned();
  llvm::Value *nil = b.getInt64(0), *one = b.getInt64(1);
  llvm::Value *runs = isSigned ? b.CreateICmpSLT(from, to) : b.CreateICmpULT(from, to);
  llvm::Value *last = b.CreateSub(b.CreateSub(to, from), one); // fits when read as unsigned
  llvm::Value *count = b.CreateAdd(b.CreateUDiv(last, by), one);
  if (element->bits == 64) {
    llvm::Value *most = b.getInt64(std::numeric_limits<int64_t>::max());
    count = b.CreateSelect(b.CreateICmpSLT(count, one), most, count);
  }
  return b.CreateSelect(runs, count, nil);
}

/// Start, step and the number of rounds, which is computed once so that no bound can overflow on the way.
Parts emitRange(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Type element = c.call.type->element;
  llvm::Value *nil = c.e.int64(0);
  llvm::Value *start = c.argument(1) ? c.scalar(0, int64Type()) : nil;
  llvm::Value *stop = c.scalar(c.argument(1) ? 1 : 0, int64Type());
  llvm::Value *step = c.argument(2) ? c.scalar(2, int64Type()) : c.e.int64(1);
  Value *given = c.argument(2);
  bool constant = !given || given->constant;
  int64_t by = !given ? 1 : constant ? given->constant->integer : 0;
  bool isOne = constant && by == 1;
  llvm::Value *count;
  if (isOne && element.isSigned()) {
    // The difference overflows only for bounds of both signs near the ends of int64.
    llvm::Value *difference = element->bits == 64 && c.argument(1)
                                  ? b.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, stop, start)
                                  : b.CreateSub(stop, start, "", false, true);
    count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, difference, nil);
  } else if (!element.isSigned()) {
    llvm::Value *safe =
        constant ? step : b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, step, c.e.int64(1));
    count = roundsUp(b, start, stop, safe, element);
  } else if (constant) {
    count = by > 0 ? roundsUp(b, start, stop, step, element)
                   : roundsUp(b, stop, start, b.CreateNeg(step), element);
  } else {
    llvm::Value *size = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, step, b.getFalse());
    llvm::Value *up = b.CreateICmpSGT(step, nil);
    llvm::Value *safe = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, c.e.int64(1));
    count = b.CreateSelect(up, roundsUp(b, start, stop, safe, element),
                           roundsUp(b, stop, start, safe, element));
  }
  if (!constant) {
    llvm::Value *still = b.CreateICmpEQ(step, nil);
    if (c.e.debug())
      c.e.trapIf(still, c.call.span, "ValueError", "range() arg 3 must not be zero");
    count = b.CreateSelect(still, nil, count);
  }
  return {cast(c.e, start, int64Type(), element), cast(c.e, step, int64Type(), element), count};
}

// As in numba, Python's classes are the types of Python's literals.
constexpr LibraryRow rows[] = {
    {"builtins.abs", "(x)", "Absolute value; keeps the type, of a complex number its part's.",
     typeAbs, emitAbs},
    {"builtins.min", "(*values)", "The smallest of two or more numbers or of a tuple; a NaN loses.",
     typeExtreme, emitExtreme<false>},
    {"builtins.max", "(*values)", "The largest of two or more numbers or of a tuple; a NaN loses.",
     typeExtreme, emitExtreme<true>},
    classOf({"builtins.int", "(x)", "A float truncated to int64; an integer keeps its type.",
             typeInt, emitCast},
            [](Type t) { return t == int64Type(); }),
    classOf({"builtins.float", "(x)", "float64; a float of fewer bits keeps its type.", typeFloat,
             emitCast},
            [](Type t) { return t == float64Type(); }),
    classOf({"builtins.bool", "(x)", "Whether x is not zero.", typeBool, emitBool},
            [](Type t) { return t.isBool(); }),
    {"builtins.round", "(x, ndigits=)", "Nearest int64, half to even; with ndigits a float.",
     typeRound, emitRound},
    {"builtins.pow", "(x, y)", "x ** y.", typePow, emitPow},
    {"builtins.divmod", "(x, y)", "The tuple (x // y, x % y).", typeDivmod, emitDivmod},
    {"builtins.sum", "(values, start=)", "The sum of a tuple of numbers and of start.", typeSum,
     emitSum},
    {"builtins.len", "(x)",
     "Extent of an array's first dimension, or number of a tuple's elements or a constant string's "
     "characters.",
     typeLen, emitLen, 0, true},
    classOf({"builtins.range", "(start, stop=, step=)", "What a for loop counts over.", typeRange,
             emitRange},
            [](Type t) { return t.is(TypeKind::Range); }),
};

} // namespace

llvm::ArrayRef<LibraryRow> builtinLibrary() {
  static constexpr auto table = eachOf(rows, everywhere);
  return table;
}

} // namespace heddle::python
