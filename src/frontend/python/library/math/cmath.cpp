// The functions of `cmath`. A real argument becomes a complex number with imaginary part 0. Apart from a few functions,
// complex64 computes in float32; everything else computes in float64.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

Parts convertArgumentToComplex(CallEmission &c, unsigned i = 0) {
  return convertToComplex(c.e, *c.argument(i), complexTypeOf(c.argument(i)->type));
}

Type typeCmathFunction(CallTyping &t) {
  t.requireNumber(0);
  return complexTypeOf(t.type(0));
}
/// For functions without a complex64 variant in numba.
Type typeComplex128Function(CallTyping &t) {
  t.requireNumber(0);
  return complexType(128);
}
Parts emitCmathFunction(CallEmission &c) {
  Type type = c.call.type;
  return emitComplexFunction(c.e, ComplexFunction(c.row.data),
                             convertToComplex(c.e, *c.argument(0), type), type);
}

Type typeLog(CallTyping &t) {
  t.requireNumber(0);
  if (!t.argument(1))
    return complexTypeOf(t.type(0));
  t.requireNumber(1);
  return unify(complexTypeOf(t.type(0)), complexTypeOf(t.type(1)));
}
Parts emitLog(CallEmission &c) {
  Type type = c.call.type;
  auto log = [&](unsigned i) {
    return emitComplexFunction(c.e, ComplexFunction::Log,
                               convertToComplex(c.e, *c.argument(i), type), type);
  };
  if (!c.argument(1))
    return log(0);
  return emitComplexArithmetic(c.e, BinaryOp::TrueDiv, log(0), log(1), type, c.call.span);
}

Type typePhase(CallTyping &t) {
  t.requireNumber(0);
  return complexPartType(complexTypeOf(t.type(0)));
}
Parts emitPhase(CallEmission &c) { return {emitComplexPhase(c.e, convertArgumentToComplex(c))}; }

Type typePolar(CallTyping &t) {
  Type part = typePhase(t);
  return tupleType({part, part});
}
Parts emitPolar(CallEmission &c) {
  Parts z = convertArgumentToComplex(c);
  return {emitComplexAbs(c.e, z), emitComplexPhase(c.e, z)};
}

Type typeRect(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  return unify(complexTypeOf(t.type(0)), complexTypeOf(t.type(1)));
}
/// With angle 0 the result is r: infinity times the sine of 0 would be NaN. As in numba, r is also used directly if the
/// angle is not finite and r is 0 or infinite: the result is 0, or infinity with the angle as the other part.
Parts emitRect(CallEmission &c) {
  Type part = complexPartType(c.call.type);
  llvm::Value *r = c.scalar(0, part), *phi = c.scalar(1, part);
  llvm::Value *zero = llvm::ConstantFP::get(r->getType(), 0);
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(r->getType());
  auto magnitude = [&](llvm::Value *x) {
    return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  };
  llvm::Value *isNoAngle = c.b.CreateFCmpUEQ(magnitude(phi), infinity); // or NaN
  llvm::Value *isZero = c.b.CreateAnd(isNoAngle, c.b.CreateFCmpOEQ(r, zero));
  llvm::Value *isInfinite = c.b.CreateAnd(isNoAngle, c.b.CreateFCmpOEQ(magnitude(r), infinity));
  llvm::Value *straight = c.b.CreateFCmpOEQ(phi, llvm::ConstantFP::get(phi->getType(), 0));
  llvm::Value *re = c.b.CreateFMul(r, callMath(c.e, simt::Op::Cos, {phi}));
  llvm::Value *im = c.b.CreateFMul(r, callMath(c.e, simt::Op::Sin, {phi}));
  llvm::Value *sign = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                                llvm::ConstantFP::get(r->getType(), 1), r);
  re = c.b.CreateSelect(c.b.CreateOr(straight, isInfinite), r, re);
  im = c.b.CreateSelect(straight, c.b.CreateFMul(phi, sign), im);
  im = c.b.CreateSelect(isInfinite, phi, im);
  return {c.b.CreateSelect(isZero, zero, re), c.b.CreateSelect(isZero, zero, im)};
}

Type typeFloatTest(CallTyping &t) {
  t.requireNumber(0);
  return boolType();
}
Parts emitFloatTest(CallEmission &c) {
  return {emitComplexNumberTest(c.e, NumberTest(c.row.data), convertArgumentToComplex(c))};
}

#define FUNCTION(name, function, doc)                                                              \
  {"cmath." name,                                                                                  \
   "(x)",                                                                                          \
   doc,                                                                                            \
   typeCmathFunction,                                                                              \
   emitCmathFunction,                                                                              \
   unsigned(ComplexFunction::function)}
#define WIDE_FUNCTION(name, function, doc)                                                         \
  {"cmath." name,         "(x)",                                                                   \
   doc " In complex128.", typeComplex128Function,                                                  \
   emitCmathFunction,     unsigned(ComplexFunction::function)}
#define TEST(name, test, doc)                                                                      \
  {"cmath." name, "(x)", doc, typeFloatTest, emitFloatTest, unsigned(NumberTest::test)}

constexpr LibraryRow rows[] = {
    FUNCTION("acos", Acos, "Arc cosine; branch cuts outside [-1, 1]."),
    WIDE_FUNCTION("acosh", Acosh, "Inverse hyperbolic cosine; branch cut left of 1."),
    FUNCTION("asin", Asin, "Arc sine; branch cuts outside [-1, 1]."),
    FUNCTION("asinh", Asinh, "Inverse hyperbolic sine; branch cuts outside [-1j, 1j]."),
    FUNCTION("atan", Atan, "Arc tangent; branch cuts outside [-1j, 1j]."),
    FUNCTION("atanh", Atanh,
             "Inverse hyperbolic tangent; branch cuts outside [-1, 1]. Infinite at 1."),
    FUNCTION("cos", Cos, "Cosine."),
    FUNCTION("cosh", Cosh, "Hyperbolic cosine."),
    FUNCTION("exp", Exp, "e to the power x. Overflow gives infinities."),
    WIDE_FUNCTION("log10", Log10, "Logarithm to base 10; branch cut left of 0."),
    FUNCTION("sin", Sin, "Sine."),
    FUNCTION("sinh", Sinh, "Hyperbolic sine."),
    FUNCTION("sqrt", Sqrt, "Square root with nonnegative real part; branch cut left of 0."),
    FUNCTION("tan", Tan, "Tangent."),
    WIDE_FUNCTION("tanh", Tanh, "Hyperbolic tangent."),
    {"cmath.log", "(x, base=)",
     "Natural logarithm, or to a base; branch cut left of 0. Minus infinity at 0.", typeLog,
     emitLog},
    {"cmath.phase", "(x)", "The angle from -pi to pi.", typePhase, emitPhase},
    {"cmath.polar", "(x)", "The tuple (absolute value, angle).", typePolar, emitPolar},
    {"cmath.rect", "(r, phi)", "The complex number with this absolute value and angle.", typeRect,
     emitRect},
    TEST("isfinite", IsFinite, "True if both parts are finite."),
    TEST("isinf", IsInf, "True if either part is infinite."),
    TEST("isnan", IsNan, "True if either part is NaN."),
};

} // namespace

llvm::ArrayRef<LibraryRow> cmathLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
