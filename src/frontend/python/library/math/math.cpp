// The functions of `math`, and their scalar equivalents in NumPy.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/numbers/times.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/overloads.h"

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;
using simt::Op;

// math: float32 computes in float32, everything else in float64. 16-bit floats become float32, except in functions that
// CUDA provides for them.

Type typeUnary(CallTyping &t) {
  t.requireScalar(0);
  return mathType(t.type(0));
}
Type typeUnaryOrHalf(CallTyping &t) {
  Type wide = typeUnary(t);
  return t.type(0).isHalf() ? t.type(0) : wide;
}
/// The type for two numbers, float32 or float64, whichever they convert to better.
Type typeBinary(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  return bestCommonType({t.type(0), t.type(1)}, {float32Type(), float64Type()});
}
/// Like typeBinary, for functions that also have integer signatures. These return float64.
Type typeBinaryWithIntegersAsFloat64(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  Type type = bestCommonType({t.type(0), t.type(1)},
                             {int64Type(), intType(64, false), float32Type(), float64Type()});
  return type.isFloat() ? type : float64Type();
}

// NumPy: 8-bit and 16-bit integers and bools also compute in float32. With a float operand, integers convert to the
// float's type (numba's rule for NumPy functions with mixed arguments).

/// The float type of a float and an integer; unknown for other pairs.
Type floatTypeOfFloatAndInteger(Type a, Type b) {
  if (a.isFloat() && b.isInteger())
    return a;
  return a.isInteger() && b.isFloat() ? b : Type();
}

/// Fails unless the row accepts argument 0.
void requireScalarOrComplex(CallTyping &t) {
  t.row().emitComplex ? t.requireNumber(0) : t.requireScalar(0);
}
template <ComplexFunction function> Parts emitComplexCall(CallEmission &c) {
  return emitComplexFunction(c.e, function, c.e.parts(*c.argument(0)), c.call.type);
}

Type typeNumpyUnary(CallTyping &t) {
  requireScalarOrComplex(t);
  if (t.type(0).isComplex())
    return t.type(0);
  return numpyFloatType(t.type(0));
}
Type typeNumpyBinary(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  if (Type mixed = floatTypeOfFloatAndInteger(t.type(0), t.type(1)))
    return mixed;
  return unify(numpyFloatType(t.type(0)), numpyFloatType(t.type(1)));
}

Parts emitUnary(CallEmission &c) {
  if (c.call.type.isComplex())
    return c.row.emitComplex(c);
  return {callMath(c.e, Op(c.row.data), {c.scalar(0, c.call.type)})};
}
Parts emitBinary(CallEmission &c) {
  return {callMath(c.e, Op(c.row.data), {c.scalar(0, c.call.type), c.scalar(1, c.call.type)})};
}
Parts emitUnaryLlvmIntrinsic(CallEmission &c) {
  if (c.call.type.isComplex())
    return c.row.emitComplex(c);
  return {emitFloatIntrinsic(c.b, ID(c.row.data), {c.scalar(0, c.call.type)})};
}
/// Replaces a divisor that the processor rejects by 1, which divides every integer.
llvm::Value *replaceDivisorByOneIf(llvm::IRBuilder<> &b, llvm::Value *divisor, int64_t refused) {
  auto *one = llvm::ConstantInt::get(divisor->getType(), 1);
  auto *other = llvm::ConstantInt::getSigned(divisor->getType(), refused);
  return b.CreateSelect(b.CreateICmpEQ(divisor, other), one, divisor);
}

/// Integers are whole numbers; host functions return them unchanged.
Type typeNumpyRounding(CallTyping &t) {
  requireScalarOrComplex(t);
  bool isWhole = t.type(0).isInteger() || t.type(0).isBool();
  return t.rules().makesArrays && isWhole ? t.type(0) : typeNumpyUnary(t);
}
Parts emitNumpyRounding(CallEmission &c) {
  return c.call.type.isFloat() || c.call.type.isComplex() ? emitUnaryLlvmIntrinsic(c)
                                                          : Parts{c.scalar(0, c.call.type)};
}

/// On the host, the remainder of integers is an integer.
Type typeNumpyFmod(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  Type both = unify(t.type(0), t.type(1));
  return t.rules().makesArrays && both.isInteger() ? both : typeNumpyBinary(t);
}
Parts emitNumpyFmod(CallEmission &c) {
  Type type = c.call.type;
  if (!type.isInteger())
    return emitBinary(c);
  llvm::Value *x = c.scalar(0, type), *y = c.scalar(1, type);
  if (!type.isSigned())
    return {c.b.CreateURem(x, replaceDivisorByOneIf(c.b, y, 0))};
  return {c.b.CreateSRem(x, replaceDivisorByOneIf(c.b, replaceDivisorByOneIf(c.b, y, 0), -1))};
}

Parts emitBinaryIntrinsic(CallEmission &c) {
  return {c.b.CreateBinaryIntrinsic(ID(c.row.data), c.scalar(0, c.call.type),
                                    c.scalar(1, c.call.type))};
}

llvm::Constant *floatConstant(llvm::Value *like, double v) {
  return llvm::ConstantFP::get(like->getType(), v);
}

constexpr double pi = 3.14159265358979323846;

Parts emitDegrees(CallEmission &c) {
  llvm::Value *x = c.scalar(0, c.call.type);
  return {c.b.CreateFMul(x, floatConstant(x, 180 / pi))};
}
Parts emitRadians(CallEmission &c) {
  llvm::Value *x = c.scalar(0, c.call.type);
  return {c.b.CreateFMul(x, floatConstant(x, pi / 180))};
}

enum Test { IsNan, IsInf, IsFinite, SignBit };
Type typeFloatTest(CallTyping &t) {
  requireScalarOrComplex(t);
  return boolType();
}
Parts emitComplexFloatTest(CallEmission &c) {
  return {emitComplexNumberTest(c.e, NumberTest(c.row.data), c.e.parts(*c.argument(0)))};
}
Parts emitFloatTest(CallEmission &c) {
  Type from = c.argument(0)->type;
  Test test = Test(c.row.data);
  if (from.isComplex())
    return c.row.emitComplex(c);
  if (!from.isFloat()) {
    if (test == SignBit)
      return {c.b.CreateICmpSLT(c.scalar(0, int64Type()), c.e.int64(0))};
    return {c.b.getInt1(test == IsFinite)};
  }
  llvm::Value *x = c.scalar(0, from);
  llvm::Value *size = emitFloatIntrinsic(c.b, llvm::Intrinsic::fabs, {x});
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(x->getType());
  switch (test) {
  case IsNan:
    return {c.b.CreateFCmpUNO(x, x)};
  case IsInf:
    return {c.b.CreateFCmpOEQ(size, infinity)};
  case IsFinite:
    return {c.b.CreateFCmpOLT(size, infinity)};
  case SignBit:
    return {c.b.CreateICmpSLT(c.b.CreateBitCast(x, c.b.getIntNTy(from->bits)),
                              llvm::ConstantInt::get(c.b.getIntNTy(from->bits), 0))};
  }
  return {};
}

Type typeFrexp(CallTyping &t) {
  t.requireScalar(0);
  return tupleType({bestCommonType({t.type(0)}, {float32Type(), float64Type()}), int32Type()});
}
Parts emitFrexp(CallEmission &c) {
  llvm::Value *x = c.scalar(0, c.call.type->elements[0]);
  return {callMath(c.e, Op::FrexpFraction, {x}), callMath(c.e, Op::FrexpExponent, {x})};
}

Type typeLdexp(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  return bestCommonType({t.type(0)}, {float32Type(), float64Type()});
}
/// As in CUDA, the exponent is an int32: the low bits of a wider integer.
Parts emitLdexp(CallEmission &c) {
  llvm::Value *n = c.e.convertToInteger(*c.argument(1), int32Type(), c.spanOf(1), "the exponent");
  return {callMath(c.e, Op::Ldexp, {c.scalar(0, c.call.type), n})};
}

Type typeNumpyLdexp(CallTyping &t) {
  t.requireScalar(0);
  t.requireInteger(1);
  return mathType(t.type(0));
}
Parts emitNumpyLdexp(CallEmission &c) {
  // The exponent may not fit in an int32; outside these bounds the result is 0 or infinite anyway.
  llvm::Value *n = c.scalar(1, int64Type());
  n = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, n, c.e.int64(-100000));
  n = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, c.e.int64(100000));
  return {
      callMath(c.e, Op::Ldexp, {c.scalar(0, c.call.type), c.b.CreateTrunc(n, c.b.getInt32Ty())})};
}

Type typeModf(CallTyping &t) {
  t.requireScalar(0);
  Type type = bestCommonType({t.type(0)}, {float64Type(), float32Type()});
  return tupleType({type, type});
}
Parts emitModf(CallEmission &c) {
  llvm::Value *x = c.scalar(0, c.call.type->elements[0]);
  llvm::Value *whole = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x);
  llvm::Value *size = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value *infinite = c.b.CreateFCmpOEQ(size, llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value *rest = c.b.CreateSelect(infinite, floatConstant(x, 0), c.b.CreateFSub(x, whole));
  return {c.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, x), whole};
}

Type typePow(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  const Type single[] = {float32Type(), float32Type()}, wide[] = {float64Type(), float64Type()};
  const Type singleToInt[] = {float32Type(), int32Type()},
             wideToInt[] = {float64Type(), int32Type()};
  size_t best = *bestSignature({t.type(0), t.type(1)}, {single, wide, singleToInt, wideToInt});
  return best % 2 ? float64Type() : float32Type();
}

/// The result type of rounding a number: int64, or uint64 for a uint64.
Type typeRoundToInteger(CallTyping &t) {
  t.requireScalar(0);
  return t.type(0) == intType(64, false) ? t.type(0) : int64Type();
}
Parts emitRoundToInteger(CallEmission &c) {
  Type from = c.argument(0)->type;
  if (!from.isFloat())
    return {c.scalar(0, c.call.type)};
  Type wide = from.isHalf() ? float32Type() : from;
  llvm::Value *whole = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ID(c.row.data), c.scalar(0, wide));
  return {cast(c.e, whole, wide, int64Type())};
}

// NumPy functions that return integers for integers.

Type typeCommonNumber(CallTyping &t) {
  t.requireNumber(0);
  t.requireNumber(1);
  Type a = t.type(0), b = t.type(1);
  if (Type mixed = floatTypeOfFloatAndInteger(a, b))
    return mixed;
  if (a.isComplex() && b.isInteger())
    return a;
  return a.isInteger() && b.isComplex() ? b : unify(a, b);
}
enum Extreme { Maximum, Minimum, Fmax, Fmin };
/// Compares complex numbers in NumPy's order.
Parts emitComplexMinOrMax(CallEmission &c) {
  Type type = c.call.type;
  Extreme which = Extreme(c.row.data);
  bool isMax = which == Maximum || which == Fmax, ignores = which == Fmax || which == Fmin;
  Parts a = convertToComplex(c.e, *c.argument(0), type),
        d = convertToComplex(c.e, *c.argument(1), type);
  llvm::Value *takesFirst = compareComplex(c.e, isMax ? CompareOp::Ge : CompareOp::Le, a, d);
  llvm::Value *firstNan = emitComplexNumberTest(c.e, NumberTest::IsNan, a);
  llvm::Value *secondNan = emitComplexNumberTest(c.e, NumberTest::IsNan, d);
  if (ignores)
    takesFirst = c.b.CreateOr(secondNan, c.b.CreateAnd(takesFirst, c.b.CreateNot(firstNan)));
  else
    takesFirst = c.b.CreateOr(firstNan, c.b.CreateAnd(takesFirst, c.b.CreateNot(secondNan)));
  return {c.b.CreateSelect(takesFirst, a[0], d[0]), c.b.CreateSelect(takesFirst, a[1], d[1])};
}

/// maximum and minimum propagate NaN; fmax and fmin ignore it.
Parts emitMinOrMax(CallEmission &c) {
  Type type = c.call.type;
  if (type.isComplex())
    return emitComplexMinOrMax(c);
  llvm::Value *a = c.scalar(0, type), *d = c.scalar(1, type);
  Extreme which = Extreme(c.row.data);
  bool isMax = which == Maximum || which == Fmax;
  if (type.isBool())
    return {isMax ? c.b.CreateOr(a, d) : c.b.CreateAnd(a, d)};
  if (!type.isFloat()) {
    ID id = type.isSigned() ? (isMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                            : (isMax ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
    return {c.b.CreateBinaryIntrinsic(id, a, d)};
  }
  llvm::Value *best =
      emitFloatIntrinsic(c.b, isMax ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum, {a, d});
  if (which == Fmax || which == Fmin)
    return {best};
  best = c.b.CreateSelect(c.b.CreateFCmpUNO(d, d), d, best);
  return {c.b.CreateSelect(c.b.CreateFCmpUNO(a, a), a, best)};
}

Type typeNumpyAbs(CallTyping &t) {
  t.requireNumber(0);
  return t.type(0).isComplex() ? complexPartType(t.type(0)) : t.type(0);
}
Type typeSign(CallTyping &t) {
  t.requireScalar(0);
  return t.type(0);
}
Parts emitNumpyAbs(CallEmission &c) {
  Type type = c.call.type;
  if (c.argument(0)->type.isComplex())
    return {emitComplexAbs(c.e, c.e.parts(*c.argument(0)))};
  llvm::Value *v = c.scalar(0, type);
  if (type.isFloat())
    return {emitFloatIntrinsic(c.b, llvm::Intrinsic::fabs, {v})};
  return {type.isSigned() ? c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, c.b.getFalse()) : v};
}
Parts emitSign(CallEmission &c) {
  Type type = c.call.type;
  llvm::Value *v = c.scalar(0, type);
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *nil = llvm::Constant::getNullValue(v->getType());
  if (type.isFloat()) {
    llvm::Value *one = emitFloatIntrinsic(b, llvm::Intrinsic::copysign, {floatConstant(v, 1), v});
    return {b.CreateSelect(b.CreateFCmpONE(v, nil), one, v)};
  }
  llvm::Value *positive = b.CreateZExt(
      type.isSigned() ? b.CreateICmpSGT(v, nil) : b.CreateICmpNE(v, nil), v->getType());
  if (!type.isSigned())
    return {positive};
  return {b.CreateSub(positive, b.CreateZExt(b.CreateICmpSLT(v, nil), v->getType()))};
}

Type typeLogical(CallTyping &t) {
  for (unsigned i = 0; i < t.argumentCount(); ++i)
    t.requireNumber(i);
  return boolType();
}
enum Logical { And, Or, Xor, Not };
llvm::Value *truthOfArgument(CallEmission &c, unsigned i) {
  Value &v = *c.argument(i);
  return v.type.isComplex() ? emitComplexTruth(c.e, c.e.parts(v)) : c.scalar(i, boolType());
}
Parts emitLogical(CallEmission &c) {
  llvm::Value *a = truthOfArgument(c, 0);
  switch (Logical(c.row.data)) {
  case And:
    return {c.b.CreateAnd(a, truthOfArgument(c, 1))};
  case Or:
    return {c.b.CreateOr(a, truthOfArgument(c, 1))};
  case Xor:
    return {c.b.CreateXor(a, truthOfArgument(c, 1))};
  case Not:
    return {c.b.CreateNot(a)};
  }
  return {};
}

#define MATH(name, op, doc) {"math." name, "(x)", doc, typeUnary, emitUnary, unsigned(Op::op)}
#define MATH_HALF(name, op, doc)                                                                   \
  {"math." name, "(x)", doc, typeUnaryOrHalf, emitUnary, unsigned(Op::op)}
#define MATH2(name, signature, op, doc)                                                            \
  {"math." name, signature, doc, typeBinary, emitBinary, unsigned(Op::op)}
#define OF_PLANE(name, signature, op, doc)                                                         \
  {"math." name, signature, doc, typeBinaryWithIntegersAsFloat64, emitBinary, unsigned(Op::op)}
#define MATH_LLVM(name, id, doc)                                                                   \
  {"math." name, "(x)", doc, typeUnaryOrHalf, emitUnaryLlvmIntrinsic, llvm::Intrinsic::id}

constexpr LibraryRow withCmathHint(LibraryRow row) {
  row.hintForComplex = "cmath has functions of complex numbers";
  return row;
}

// CUDA's functions in kernels, Python's on the host.
constexpr LibraryRow floatsOfKernels[] = {
    MATH_LLVM("floor", floor, "The largest integer not above x; a float, unlike in CPython."),
    MATH_LLVM("ceil", ceil, "The smallest integer not below x; a float, unlike in CPython."),
    MATH_LLVM("trunc", trunc, "x rounded toward zero; a float, unlike in CPython."),
};
constexpr LibraryRow integersOfHost[] = {
    {"math.floor", "(x)", "The largest integer not above x.", typeRoundToInteger,
     emitRoundToInteger, llvm::Intrinsic::floor},
    {"math.ceil", "(x)", "The smallest integer not below x.", typeRoundToInteger,
     emitRoundToInteger, llvm::Intrinsic::ceil},
    {"math.trunc", "(x)", "x rounded toward zero, an integer.", typeRoundToInteger,
     emitRoundToInteger, llvm::Intrinsic::trunc},
};

constexpr LibraryRow mathRows[] = {
    MATH_HALF("sin", Sin, "Sine."),
    MATH_HALF("cos", Cos, "Cosine."),
    MATH("tan", Tan, "Tangent."),
    MATH("asin", Asin, "Arc sine."),
    MATH("acos", Acos, "Arc cosine."),
    MATH("atan", Atan, "Arc tangent."),
    MATH("sinh", Sinh, "Hyperbolic sine."),
    MATH("cosh", Cosh, "Hyperbolic cosine."),
    MATH_HALF("tanh", Tanh, "Hyperbolic tangent."),
    MATH("asinh", Asinh, "Inverse hyperbolic sine."),
    MATH("acosh", Acosh, "Inverse hyperbolic cosine."),
    MATH("atanh", Atanh, "Inverse hyperbolic tangent."),
    MATH_HALF("exp", Exp, "e to the power x."),
    MATH_HALF("exp2", Exp2, "2 to the power x."),
    MATH("expm1", Expm1, "exp(x) - 1, accurate near 0."),
    MATH_HALF("log2", Log2, "Logarithm to base 2."),
    MATH_HALF("log10", Log10, "Logarithm to base 10."),
    MATH("log1p", Log1p, "log(1 + x), accurate near 0."),
    MATH_HALF("log", Log, "Natural logarithm."),
    MATH("erf", Erf, "Error function."),
    MATH("erfc", Erfc, "Complementary error function."),
    MATH("gamma", Gamma, "Gamma function."),
    MATH("lgamma", LogGamma, "Logarithm of the gamma function's absolute value."),
    withDifference(MATH("cbrt", Cbrt, "Cube root."), "numba.cuda has it as cuda.cbrt"),
    MATH_LLVM("sqrt", sqrt, "Square root."),
    MATH_LLVM("fabs", fabs, "Absolute value, as a float."),
    OF_PLANE("atan2", "(y, x)", Atan2, "Angle of the point (x, y)."),
    OF_PLANE("hypot", "(x, y)", Hypot, "sqrt(x*x + y*y) without overflow."),
    MATH2("fmod", "(x, y)", Fmod, "Remainder with the sign of x."),
    MATH2("remainder", "(x, y)", Remainder, "IEEE 754 remainder."),
    MATH2("nextafter", "(x, y)", NextAfter, "The next float after x toward y."),
    {"math.pow", "(x, y)", "x to the power y.", typePow, emitBinary, unsigned(Op::Pow)},
    {"math.copysign", "(x, y)", "x with the sign of y.", typeBinary, emitBinaryIntrinsic,
     llvm::Intrinsic::copysign},
    {"math.degrees", "(x)", "Converts radians to degrees.", typeUnary, emitDegrees},
    {"math.radians", "(x)", "Converts degrees to radians.", typeUnary, emitRadians},
    {"math.isnan", "(x)", "True if x is NaN.", typeFloatTest, emitFloatTest, IsNan},
    {"math.isinf", "(x)", "True if x is infinite.", typeFloatTest, emitFloatTest, IsInf},
    {"math.isfinite", "(x)", "True if x is neither infinite nor NaN.", typeFloatTest, emitFloatTest,
     IsFinite},
    {"math.frexp", "(x)", "The tuple (fraction in [0.5, 1), exponent).", typeFrexp, emitFrexp},
    {"math.ldexp", "(x, i)", "x times 2 ** i.", typeLdexp, emitLdexp},
    {"math.modf", "(x)", "The tuple (fraction, whole part), both with the sign of x.", typeModf,
     emitModf},
};

/// A row that also accepts complex numbers.
constexpr LibraryRow alsoForComplexNumbers(LibraryRow row, Parts (*emitComplex)(CallEmission &)) {
  row.emitComplex = emitComplex;
  return row;
}

#define NUMPY_REAL(name, op, doc)                                                                  \
  {"numpy." name, "(x)", doc, typeNumpyUnary, emitUnary, unsigned(Op::op)}
#define NUMPY(name, op, doc)                                                                       \
  alsoForComplexNumbers(NUMPY_REAL(name, op, doc), emitComplexCall<ComplexFunction::op>)
#define NUMPY2(name, op, doc)                                                                      \
  {"numpy." name, "(x, y)", doc, typeNumpyBinary, emitBinary, unsigned(Op::op)}
#define NUMPY_LLVM(name, id, doc)                                                                  \
  {"numpy." name, "(x)", doc, typeNumpyUnary, emitUnaryLlvmIntrinsic, llvm::Intrinsic::id}

Type typeIsNat(CallTyping &t) {
  if (!t.type(0).isTime())
    t.failAt(0, "np.isnat takes a datetime64 or a timedelta64, not " + t.type(0).name());
  return boolType();
}
Parts emitIsNat(CallEmission &c) { return {isNat(c.b, c.e.parts(*c.argument(0))[0])}; }

constexpr LibraryRow numpyRows[] = {
    NUMPY("sin", Sin, "Sine."),
    NUMPY("cos", Cos, "Cosine."),
    NUMPY("tan", Tan, "Tangent."),
    NUMPY("arcsin", Asin, "Arc sine."),
    NUMPY("arccos", Acos, "Arc cosine."),
    NUMPY("arctan", Atan, "Arc tangent."),
    NUMPY("sinh", Sinh, "Hyperbolic sine."),
    NUMPY("cosh", Cosh, "Hyperbolic cosine."),
    NUMPY("tanh", Tanh, "Hyperbolic tangent."),
    NUMPY("arcsinh", Asinh, "Inverse hyperbolic sine."),
    NUMPY("arccosh", Acosh, "Inverse hyperbolic cosine."),
    NUMPY("arctanh", Atanh, "Inverse hyperbolic tangent."),
    asUnlisted(NUMPY("exp", Exp, "e to the power x.")),
    asUnlisted(NUMPY("exp2", Exp2, "2 to the power x.")),
    asUnlisted(NUMPY("expm1", Expm1, "exp(x) - 1, accurate near 0.")),
    NUMPY("log", Log, "Natural logarithm."),
    NUMPY("log2", Log2, "Logarithm to base 2."),
    NUMPY("log10", Log10, "Logarithm to base 10."),
    asUnlisted(NUMPY("log1p", Log1p, "log(1 + x), accurate near 0.")),
    asUnlisted(NUMPY_REAL("cbrt", Cbrt, "Cube root.")),
    asUnlisted(alsoForComplexNumbers(NUMPY_LLVM("sqrt", sqrt, "Square root."),
                                     emitComplexCall<ComplexFunction::Sqrt>)),
    asUnlisted(NUMPY_LLVM("fabs", fabs, "Absolute value, as a float.")),
    asUnlisted({"numpy.floor", "(x)", "The largest integer not above x, as a float.",
                typeNumpyRounding, emitNumpyRounding, llvm::Intrinsic::floor}),
    asUnlisted({"numpy.ceil", "(x)", "The smallest integer not below x, as a float.",
                typeNumpyRounding, emitNumpyRounding, llvm::Intrinsic::ceil}),
    asUnlisted({"numpy.trunc", "(x)", "x rounded toward zero, as a float.", typeNumpyRounding,
                emitNumpyRounding, llvm::Intrinsic::trunc}),
    asUnlisted(
        NUMPY_LLVM("rint", rint, "Rounds to the nearest integer, ties to even, as a float.")),
    NUMPY2("arctan2", Atan2, "Angle of the point (y, x)."),
    NUMPY2("hypot", Hypot, "sqrt(x*x + y*y) without overflow."),
    asUnlisted({"numpy.fmod", "(x, y)", "Remainder with the sign of x.", typeNumpyFmod,
                emitNumpyFmod, unsigned(Op::Fmod)}),
    asUnlisted(NUMPY2("nextafter", NextAfter, "The next float after x toward y.")),
    asUnlisted({"numpy.copysign", "(x, y)", "x with the sign of y.", typeNumpyBinary,
                emitBinaryIntrinsic, llvm::Intrinsic::copysign}),
    {"numpy.degrees", "(x)", "Converts radians to degrees.", typeNumpyUnary, emitDegrees},
    {"numpy.rad2deg", "(x)", "Converts radians to degrees.", typeNumpyUnary, emitDegrees},
    {"numpy.radians", "(x)", "Converts degrees to radians.", typeNumpyUnary, emitRadians},
    {"numpy.deg2rad", "(x)", "Converts degrees to radians.", typeNumpyUnary, emitRadians},
    alsoForComplexNumbers(
        {"numpy.isnan", "(x)", "True if x is NaN.", typeFloatTest, emitFloatTest, IsNan},
        emitComplexFloatTest),
    asUnlisted({"numpy.isnat", "(x)", "True if a datetime64 or timedelta64 is NaT.", typeIsNat,
                emitIsNat}),
    asUnlisted(alsoForComplexNumbers(
        {"numpy.isinf", "(x)", "True if x is infinite.", typeFloatTest, emitFloatTest, IsInf},
        emitComplexFloatTest)),
    asUnlisted(
        alsoForComplexNumbers({"numpy.isfinite", "(x)", "True if x is neither infinite nor NaN.",
                               typeFloatTest, emitFloatTest, IsFinite},
                              emitComplexFloatTest)),
    asUnlisted({"numpy.signbit", "(x)", "True if the sign bit of x is set.", typeFloatTest,
                emitFloatTest, SignBit}),
    asUnlisted({"numpy.ldexp", "(x, i)", "x times 2 ** i.", typeNumpyLdexp, emitNumpyLdexp}),
    {"numpy.maximum", "(x, y)", "The larger value; NaN if either is NaN.", typeCommonNumber,
     emitMinOrMax, Maximum},
    {"numpy.minimum", "(x, y)", "The smaller value; NaN if either is NaN.", typeCommonNumber,
     emitMinOrMax, Minimum},
    {"numpy.fmax", "(x, y)", "The larger value; ignores a NaN.", typeCommonNumber, emitMinOrMax,
     Fmax},
    {"numpy.fmin", "(x, y)", "The smaller value; ignores a NaN.", typeCommonNumber, emitMinOrMax,
     Fmin},
    asUnlisted({"numpy.absolute", "(x)",
                "Absolute value, in the type of x; for a complex number, in the type of its parts.",
                typeNumpyAbs, emitNumpyAbs}),
    asUnlisted(
        {"numpy.sign", "(x)", "-1, 0 or 1, in the type of x; NaN for NaN.", typeSign, emitSign}),
    {"numpy.logical_and", "(x, y)", "True if both are nonzero.", typeLogical, emitLogical, And},
    {"numpy.logical_or", "(x, y)", "True if either is nonzero.", typeLogical, emitLogical, Or},
    {"numpy.logical_xor", "(x, y)", "True if exactly one is nonzero.", typeLogical, emitLogical,
     Xor},
    {"numpy.logical_not", "(x)", "True if x is zero.", typeLogical, emitLogical, Not},
};

template <size_t... sizes>
constexpr auto concatenateTables(const std::array<LibraryRow, sizes> &...tables) {
  std::array<LibraryRow, (sizes + ...)> out{};
  auto end = out.begin();
  ((end = std::copy(tables.begin(), tables.end(), end)), ...);
  return out;
}

} // namespace

llvm::ArrayRef<LibraryRow> mathLibrary() {
  static constexpr auto table =
      concatenateTables(mapRows(mathRows, withCmathHint, onAllTargets, withKnownEffects),
                        mapRows(floatsOfKernels, withCmathHint, withKnownEffects),
                        mapRows(integersOfHost, withCmathHint, hostOnly, withKnownEffects));
  return table;
}
llvm::ArrayRef<LibraryRow> numpyLibrary() {
  static constexpr auto table = mapRows(numpyRows, asElementwise, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
