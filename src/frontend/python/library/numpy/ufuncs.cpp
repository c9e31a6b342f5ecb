// NumPy functions that correspond to Python operators: arithmetic, comparisons and bit operations.

#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/operators.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/times.h"

namespace heddle::python {
namespace {

/// The type to which both operands are converted. With a float or complex operand, integers convert to its type, as in
/// all NumPy functions (numba's rule).
Type commonType(CallTyping &t) {
  t.requireNumber(0);
  t.requireNumber(1);
  Type a = t.type(0), b = t.type(1);
  auto isInexact = [](Type type) { return type.isFloat() || type.isComplex(); };
  if (isInexact(a) && b.isInteger())
    return a;
  if (a.isInteger() && isInexact(b))
    return b;
  return unify(a, b);
}

bool returnsBoolForBools(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Mul || op == BinaryOp::And || op == BinaryOp::Or ||
         op == BinaryOp::Xor;
}
bool isBitwise(BinaryOp op) {
  return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor ||
         op == BinaryOp::LShift || op == BinaryOp::RShift;
}

/// True if either operand is a date or a duration.
bool hasTimeOperand(CallTyping &t) { return t.type(0).isTime() || t.type(1).isTime(); }

Type timeResultType(CallTyping &t, BinaryOp op) {
  Type type = timeBinaryType(op, t.type(0), t.type(1));
  if (!type)
    t.fail(std::string(t.row().displayName()) + " does not take " + t.type(0).name() + " and " +
               t.type(1).name(),
           explainTimeMismatch(t.type(0), t.type(1)));
  return type;
}

Type typeBinaryOperator(CallTyping &t) {
  BinaryOp op = BinaryOp(t.row().data);
  if (hasTimeOperand(t))
    return timeResultType(t, op);
  Type type = commonType(t);
  if (type.isComplex() && !binaryType(op, type, type))
    t.fail(std::string(t.row().displayName()) + " does not take complex numbers");
  if (type.isComplex())
    return type;
  if (op == BinaryOp::TrueDiv)
    return type.isFloat() ? type : unify(numpyFloatType(t.type(0)), numpyFloatType(t.type(1)));
  if (isBitwise(op) && type.isFloat())
    t.fail(std::string(t.row().displayName()) + " takes integers, not " + t.type(0).name() +
           " and " + t.type(1).name());
  return type.isBool() && !returnsBoolForBools(op) ? intType(8) : type;
}
/// The operator on operands of the result type, in which integers wrap around.
Parts emitNumpyOperator(CallEmission &c) {
  BinaryOp op = BinaryOp(c.row.data);
  Type type = c.call.type;
  Value &x = *c.argument(0), &y = *c.argument(1);
  if (x.type.isTime() || y.type.isTime())
    return {emitTimeBinary(c.b, op, toTimeOperand(c.e, x), toTimeOperand(c.e, y), type)};
  if (type.isBool() && (op == BinaryOp::Add || op == BinaryOp::Mul)) {
    llvm::Value *a = c.scalar(0, type), *d = c.scalar(1, type);
    return {op == BinaryOp::Add ? c.b.CreateOr(a, d) : c.b.CreateAnd(a, d)};
  }
  Value *operands[2];
  for (unsigned i : {0, 1}) {
    operands[i] = &c.e.makeTemporary(type, c.call.span);
    Value &given = *c.argument(i);
    c.e.bind(*operands[i], convert(c.e, c.e.parts(given), given.type, type));
  }
  if (type.isComplex())
    return emitComplexBinaryOperator(c.e, op, *operands[0], *operands[1], type, c.call.span);
  Type result = binaryType(op, type, type);
  Parts parts{emitBinaryOperator(c.e, op, *operands[0], *operands[1], result, c.call.span)};
  return convert(c.e, parts, result, type);
}

/// Emits the operator so that a division by zero raises no exception.
Parts emitOperatorWithoutDivisorCheck(CallEmission &c) {
  Checks checks = c.e.checks(), ofNumPy = checks;
  ofNumPy.divisors = false;
  c.e.setChecks(ofNumPy);
  Parts parts = emitNumpyOperator(c);
  c.e.setChecks(checks);
  return parts;
}

Type typeComparison(CallTyping &t) {
  if (hasTimeOperand(t) && unifyTimes(t.type(0), t.type(1)))
    return boolType();
  for (unsigned i : {0, 1})
    t.requireNumber(i);
  return boolType();
}
Parts emitComparison(CallEmission &c) {
  Type a = c.argument(0)->type, d = c.argument(1)->type;
  CompareOp op = CompareOp(c.row.data);
  if (a.isTime())
    return {emitTimeCompare(c.b, op, toTimeOperand(c.e, *c.argument(0)),
                            toTimeOperand(c.e, *c.argument(1)))};
  if ((a.isComplex() || d.isComplex()) && op > CompareOp::Ne) {
    Type both = unify(a, d);
    return {compareComplex(c.e, op, convertToComplex(c.e, *c.argument(0), both),
                           convertToComplex(c.e, *c.argument(1), both))};
  }
  if (a.isComplex() || d.isComplex()) {
    llvm::Value *equal =
        emitEqualNumbers(c.e, c.e.parts(*c.argument(0)), a, c.e.parts(*c.argument(1)), d);
    return {CompareOp(c.row.data) == CompareOp::Eq ? equal : c.b.CreateNot(equal)};
  }
  return {compare(c.e, CompareOp(c.row.data), c.scalar(0, a), a, c.scalar(1, d), d)};
}

Type typeInvert(CallTyping &t) {
  t.requireInteger(0);
  return t.type(0);
}
Parts emitInvert(CallEmission &c) { return {c.b.CreateNot(c.scalar(0, c.call.type))}; }

enum Unary { Negative, Positive, Square, Reciprocal };
Parts emitComplexUnary(CallEmission &c) {
  Type type = c.call.type;
  Parts z = c.e.parts(*c.argument(0));
  llvm::Type *part = z[0]->getType();
  switch (Unary(c.row.data)) {
  case Negative:
    return emitComplexUnaryOperator(c.e, UnaryOp::Neg, z);
  case Positive:
    return z;
  case Square:
    return emitComplexArithmetic(c.e, BinaryOp::Mul, z, z, type, c.call.span);
  case Reciprocal:
    return emitComplexArithmetic(c.e, BinaryOp::TrueDiv,
                                 {llvm::ConstantFP::get(part, 1), llvm::ConstantFP::get(part, 0)},
                                 z, type, c.call.span);
  }
  return {};
}
Type typeUnary(CallTyping &t) {
  bool isSign = t.row().data == Negative || t.row().data == Positive;
  if (t.type(0).is(TypeKind::TimeDelta) && isSign)
    return t.type(0);
  t.requireNumber(0);
  return t.type(0).isBool() ? intType(8) : t.type(0);
}
Parts emitUnary(CallEmission &c) {
  Type type = c.call.type;
  llvm::IRBuilder<> &b = c.b;
  if (type.isComplex())
    return emitComplexUnary(c);
  llvm::Value *v = type.isTime() ? c.e.parts(*c.argument(0))[0] : c.scalar(0, type);
  llvm::Value *one = type.isFloat()
                         ? llvm::ConstantFP::get(v->getType(), 1)
                         : static_cast<llvm::Value *>(llvm::ConstantInt::get(v->getType(), 1));
  switch (Unary(c.row.data)) {
  case Negative:
    return {type.isFloat() ? b.CreateFNeg(v) : b.CreateNeg(v)};
  case Positive:
    return {v};
  case Square:
    return {type.isFloat() ? b.CreateFMul(v, v) : b.CreateMul(v, v)};
  case Reciprocal:
    if (type.isFloat())
      return {b.CreateFDiv(one, v)};
    // 1 // v without a division: 1 and -1 are their own inverses, and the result for other integers is 0.
    llvm::Value *unit = b.CreateICmpEQ(v, one);
    if (type.isSigned())
      unit = b.CreateOr(unit, b.CreateICmpEQ(v, b.CreateNeg(one)));
    return {b.CreateSelect(unit, v, llvm::Constant::getNullValue(v->getType()))};
  }
  return {};
}

#define OPERATOR(name, op, doc)                                                                    \
  {"numpy." name,         "(x, y)", doc, typeBinaryOperator, emitOperatorWithoutDivisorCheck,      \
   unsigned(BinaryOp::op)}
#define COMPARISON(name, op, doc)                                                                  \
  {"numpy." name, "(x, y)", doc, typeComparison, emitComparison, unsigned(CompareOp::op)}

constexpr LibraryRow rows[] = {
    asUnlisted(OPERATOR("add", Add, "x + y in the operands' common type.")),
    asUnlisted(OPERATOR("subtract", Sub, "x - y in the operands' common type.")),
    asUnlisted(OPERATOR("multiply", Mul, "x * y in the operands' common type.")),
    OPERATOR("divide", TrueDiv, "x / y as a float."),
    asUnlisted(OPERATOR("floor_divide", FloorDiv, "x // y in the operands' common type.")),
    asUnlisted(OPERATOR("remainder", Mod, "x % y, with the sign of y.")),
    asUnlisted(OPERATOR("power", Pow, "x ** y in the operands' common type.")),
    OPERATOR("bitwise_and", And, "x & y."),
    OPERATOR("bitwise_or", Or, "x | y."),
    OPERATOR("bitwise_xor", Xor, "x ^ y."),
    OPERATOR("left_shift", LShift, "x << y in the operands' common type."),
    OPERATOR("right_shift", RShift, "x >> y in the operands' common type."),
    COMPARISON("equal", Eq, "x == y."),
    COMPARISON("not_equal", Ne, "x != y."),
    COMPARISON("less", Lt, "x < y."),
    COMPARISON("less_equal", Le, "x <= y."),
    COMPARISON("greater", Gt, "x > y."),
    COMPARISON("greater_equal", Ge, "x >= y."),
    {"numpy.invert", "(x)", "Inverts all bits of an integer, or a bool.", typeInvert, emitInvert},
    asUnlisted({"numpy.negative", "(x)", "-x in the type of x.", typeUnary, emitUnary, Negative}),
    asUnlisted({"numpy.positive", "(x)", "x.", typeUnary, emitUnary, Positive}),
    asUnlisted({"numpy.square", "(x)", "x * x in the type of x.", typeUnary, emitUnary, Square}),
    asUnlisted({"numpy.reciprocal", "(x)", "1 / x in the type of x; truncated for an integer.",
                typeUnary, emitUnary, Reciprocal}),
};

} // namespace

llvm::ArrayRef<LibraryRow> ufuncLibrary() {
  static constexpr auto table = mapRows(rows, asElementwise, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
