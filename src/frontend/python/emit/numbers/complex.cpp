#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/scalars.h"

#include "frontend/python/emit/numbers/real_expression.h"

namespace heddle::python {
namespace {

struct Complex {
  Real re, im;
};

Complex complexOf(Emitter &e, const Parts &z) { return {{e.b, z[0]}, {e.b, z[1]}}; }
Parts partsOf(Complex z) { return {z.re.v, z.im.v}; }

Complex operator*(Complex a, Complex c) {
  return {a.re * c.re - a.im * c.im, a.re * c.im + a.im * c.re};
}

/// Smith's method: dividing by the larger part of the divisor avoids intermediate overflow.
Complex operator/(Complex a, Complex c) {
  Condition flat = abs(c.re) >= abs(c.im); // false for NaN, which propagates either way
  Real large = select(flat, c.re, c.im), small = select(flat, c.im, c.re);
  Real ratio = small / large;
  Real scale = large + small * ratio;
  Real x = select(flat, a.re, a.im), y = select(flat, a.im, a.re);
  Real re = (x + y * ratio) / scale;
  Real across = (y - x * ratio) / scale;
  // Division by zero divides each part, for an infinity or NaN.
  Condition byZero = c.re == 0 && c.im == 0;
  Real nil = abs(c.re);
  return {select(byZero, a.re / nil, re),
          select(byZero, a.im / nil, select(flat, across, -across))};
}

void checkDivisor(Emitter &e, Complex c, Span span, const char *message) {
  if (e.checks().divisors)
    e.trapIf((c.re == 0 && c.im == 0).v, span, "ZeroDivisionError", message);
}

/// Gets or emits, with `body`, a function `name` from `operands` real numbers to a complex number.
template <typename Body>
llvm::Function *getOrEmitComplexFunctionOfReals(ModuleEmitter &module, const std::string &name,
                                                Type type, unsigned operands, Body body) {
  std::string full = "heddle.complex." + name + "." + type.name();
  if (llvm::Function *known = module.module().getFunction(full))
    return known;
  llvm::LLVMContext &context = module.context();
  llvm::Type *real = memoryType(context, complexPartType(type));
  llvm::SmallVector<llvm::Type *, 4> parameters(operands, real);
  auto *f = llvm::Function::Create(
      llvm::FunctionType::get(llvm::StructType::get(real, real), parameters, false),
      llvm::GlobalValue::InternalLinkage, full, module.module());
  f->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  Complex result = body(b, *f);
  llvm::Value *values[] = {result.re.v, result.im.v};
  b.CreateAggregateRet(values, 2);
  return f;
}

Parts callAndExtractParts(Emitter &e, llvm::Function *f, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Value *result = e.b.CreateCall(f, operands);
  return {e.b.CreateExtractValue(result, 0), e.b.CreateExtractValue(result, 1)};
}

/// a ** count by repeated squaring, for count from 0 to 100.
Complex powerByRepeatedSquaring(llvm::IRBuilder<> &b, llvm::Function &f, Complex a,
                                llvm::Value *count) {
  llvm::LLVMContext &context = b.getContext();
  llvm::Type *type = a.re.v->getType();
  auto *start = b.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "loop", &f);
  auto *body = llvm::BasicBlock::Create(context, "body", &f);
  auto *done = llvm::BasicBlock::Create(context, "done", &f);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto phi = [&](llvm::Type *t, llvm::Value *from) {
    llvm::PHINode *p = b.CreatePHI(t, 2);
    p->addIncoming(from, start);
    return p;
  };
  llvm::PHINode *re = phi(type, llvm::ConstantFP::get(type, 1)),
                *im = phi(type, llvm::ConstantFP::get(type, 0)), *squareRe = phi(type, a.re.v),
                *squareIm = phi(type, a.im.v), *left = phi(count->getType(), count);
  b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), done, body);
  b.SetInsertPoint(body);
  Complex result{{b, re}, {b, im}}, square{{b, squareRe}, {b, squareIm}};
  Condition odd{b, b.CreateTrunc(left, b.getInt1Ty())};
  // Use the first factor directly: 1 * a would turn an infinity into NaN.
  Complex product = result * square;
  Condition isOne = result.re == 1 && result.im == 0;
  Complex next{select(odd, select(isOne, square.re, product.re), result.re),
               select(odd, select(isOne, square.im, product.im), result.im)};
  Complex nextSquare = square * square;
  re->addIncoming(next.re.v, body);
  im->addIncoming(next.im.v, body);
  squareRe->addIncoming(nextSquare.re.v, body);
  squareIm->addIncoming(nextSquare.im.v, body);
  left->addIncoming(b.CreateLShr(left, 1), body);
  b.CreateBr(loop);
  b.SetInsertPoint(done);
  return {{b, re}, {b, im}};
}

/// exp(c log a) in polar form. 0 to any nonzero power is 0, or NaN if that is undefined.
Complex computePowerInPolarForm(Complex a, Complex c) {
  Real size = hypot(a.re, a.im), angle = atan2(a.im, a.re);
  Real logarithm = log(size);
  Real length = pow(size, c.re) * exp(-(angle * c.im));
  Real turn = angle * c.re + c.im * logarithm;
  Condition noTurn = c.im == 0;
  length = select(noTurn, pow(size, c.re), length);
  turn = select(noTurn, angle * c.re, turn);
  Condition fromZero = a.re == 0 && a.im == 0;
  Real nan = a.re.with(__builtin_nan(""));
  Real ofZero = select(c.re > 0, 0.0, nan);
  Condition one = c.re == 0 && c.im == 0;
  return {select(one, 1.0, select(fromZero, ofZero, length * cos(turn))),
          select(one, 0.0, select(fromZero, ofZero, length * sin(turn)))};
}

/// a ** c. Small integer exponents use multiplications, as in Python and NumPy.
Complex emitComplexPower(llvm::IRBuilder<> &b, llvm::Function &f, Complex a, Complex c) {
  llvm::LLVMContext &context = b.getContext();
  auto *whole = llvm::BasicBlock::Create(context, "whole", &f);
  auto *general = llvm::BasicBlock::Create(context, "general", &f);
  Condition isWhole = c.im == 0 && trunc(c.re) == c.re && abs(c.re) <= 100.0;
  b.CreateCondBr(isWhole.v, whole, general);
  b.SetInsertPoint(general);
  Complex byAngle = computePowerInPolarForm(a, c);
  llvm::Value *values[] = {byAngle.re.v, byAngle.im.v};
  b.CreateAggregateRet(values, 2);
  b.SetInsertPoint(whole);
  llvm::Value *count = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat,
                                         {b.getInt32Ty(), a.re.v->getType()}, {abs(c.re).v});
  Complex result = powerByRepeatedSquaring(b, f, a, count);
  Complex inverse = Complex{a.re.with(1.0), a.re.with(0.0)} / result;
  Condition negative = c.re < 0;
  return {select(negative, inverse.re, result.re), select(negative, inverse.im, result.im)};
}

} // namespace

Parts convertToComplex(Emitter &e, Value &v, Type to) { return convert(e, e.parts(v), v.type, to); }

Parts emitComplexUnaryOperator(Emitter &e, UnaryOp op, const Parts &a) {
  if (op == UnaryOp::Pos)
    return a;
  return {e.b.CreateFNeg(a[0]), e.b.CreateFNeg(a[1])};
}

Parts toComplex(Emitter &e, const Parts &parts, Type from, Type to) {
  Type part = complexPartType(to);
  if (from.isComplex())
    return {cast(e, parts[0], complexPartType(from), part),
            cast(e, parts[1], complexPartType(from), part)};
  llvm::Value *re = cast(e, parts[0], from, part);
  return {re, llvm::ConstantFP::get(re->getType(), 0)};
}

llvm::Value *imaginaryAddress(llvm::IRBuilder<> &b, llvm::Value *address, Type complex) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, complexPartType(complex)->bytes());
}

Parts emitRealOrImag(Emitter &e, Value &number, const std::string &name) {
  Parts parts = e.parts(number);
  if (number.type.isComplex())
    return {parts[name == "imag"]};
  return {name == "real" ? parts[0] : llvm::Constant::getNullValue(parts[0]->getType())};
}

llvm::Value *emitEqualNumbers(Emitter &e, const Parts &a, Type ta, const Parts &c, Type tc) {
  if (!ta.isComplex() && !tc.isComplex())
    return compare(e, CompareOp::Eq, a[0], ta, c[0], tc);
  Type type = binaryType(BinaryOp::Add, ta, tc);
  Parts x = toComplex(e, a, ta, type), y = toComplex(e, c, tc, type);
  return e.b.CreateAnd(e.b.CreateFCmpOEQ(x[0], y[0]), e.b.CreateFCmpOEQ(x[1], y[1]));
}

llvm::Value *compareComplex(Emitter &e, CompareOp op, const Parts &a, const Parts &c) {
  llvm::IRBuilder<> &b = e.b;
  bool isLess = op == CompareOp::Lt || op == CompareOp::Le;
  auto before = [&](llvm::Value *x, llvm::Value *y) {
    return isLess ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
  };
  bool orEqual = op == CompareOp::Le || op == CompareOp::Ge;
  llvm::Value *later = before(a[1], c[1]);
  if (orEqual)
    later = b.CreateOr(later, b.CreateFCmpOEQ(a[1], c[1]));
  return b.CreateOr(before(a[0], c[0]), b.CreateAnd(b.CreateFCmpOEQ(a[0], c[0]), later));
}

llvm::Value *emitComplexTruth(Emitter &e, const Parts &z) {
  Complex c = complexOf(e, z);
  return (c.re != 0 || c.im != 0).v;
}

llvm::Value *emitComplexNumberTest(Emitter &e, NumberTest test, const Parts &z) {
  Complex c = complexOf(e, z);
  switch (test) {
  case NumberTest::IsNan:
    return (isNan(c.re) || isNan(c.im)).v;
  case NumberTest::IsInf:
    return (isInfinite(c.re) || isInfinite(c.im)).v;
  case NumberTest::IsFinite:
    return (isFinite(c.re) && isFinite(c.im)).v;
  }
  return nullptr;
}

Parts emitComplexArithmetic(Emitter &e, BinaryOp op, const Parts &a, const Parts &c, Type type,
                            Span span) {
  Complex x = complexOf(e, a), y = complexOf(e, c);
  switch (op) {
  case BinaryOp::Add:
    return partsOf({x.re + y.re, x.im + y.im});
  case BinaryOp::Sub:
    return partsOf({x.re - y.re, x.im - y.im});
  case BinaryOp::Mul:
    return partsOf(x * y);
  case BinaryOp::TrueDiv:
    checkDivisor(e, y, span, "complex division by zero");
    return partsOf(x / y);
  default:
    break;
  }
  llvm::Function *f = getOrEmitComplexFunctionOfReals(
      e.module(), "power", type, 4, [](llvm::IRBuilder<> &b, llvm::Function &f) {
        return emitComplexPower(b, f, {{b, f.getArg(0)}, {b, f.getArg(1)}},
                                {{b, f.getArg(2)}, {b, f.getArg(3)}});
      });
  return callAndExtractParts(e, f, {a[0], a[1], c[0], c[1]});
}

namespace {

/// a ** exponent with multiplications only.
Parts powerWithConstantExponent(Emitter &e, const Parts &a, int64_t exponent, Type type,
                                Span span) {
  Parts one{llvm::ConstantFP::get(a[0]->getType(), 1), llvm::ConstantFP::get(a[0]->getType(), 0)};
  Parts result, square = a;
  for (int64_t left = exponent < 0 ? -exponent : exponent; left; left >>= 1) {
    if (left & 1)
      result = result.empty() ? square
                              : emitComplexArithmetic(e, BinaryOp::Mul, result, square, type, span);
    if (left > 1)
      square = emitComplexArithmetic(e, BinaryOp::Mul, square, square, type, span);
  }
  if (result.empty())
    return one;
  return exponent < 0 ? emitComplexArithmetic(e, BinaryOp::TrueDiv, one, result, type, span)
                      : result;
}

} // namespace

Parts emitComplexBinaryOperator(Emitter &e, BinaryOp op, Value &left, Value &right, Type type,
                                Span span) {
  Parts a = convertToComplex(e, left, type);
  constexpr int64_t mostUnrolled = 16;
  if (op == BinaryOp::Pow && right.constant && right.constant->kind == ConstantKind::Int &&
      right.constant->integer >= -mostUnrolled && right.constant->integer <= mostUnrolled)
    return powerWithConstantExponent(e, a, right.constant->integer, type, span);
  return emitComplexArithmetic(e, op, a, convertToComplex(e, right, type), type, span);
}

llvm::Value *emitComplexAbs(Emitter &e, const Parts &z) {
  return callMath(e, simt::Op::Hypot, {z[0], z[1]});
}
llvm::Value *emitComplexPhase(Emitter &e, const Parts &z) {
  return callMath(e, simt::Op::Atan2, {z[1], z[0]});
}

// Each function is written for both float types. The formulas are Kahan's ("Branch cuts for complex elementary
// functions, or much ado about nothing's sign bit"), with C17 Annex G's values for infinite and NaN parts. Python
// before 3.14 follows C99, which differs for acosh(0 + NaN i) and tanh(0 + NaN i).

namespace {

constexpr double ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402;
constexpr double pi = 3.14159265358979323846, eulers = 2.71828182845904523536;

/// A quarter of the largest number, so that sums of a few of them do not overflow.
Real quarterOfLargest(Real like) { return like.with(0x1p+1022, 0x1p+126); }

/// i * z and -i * z.
Complex multiplyByI(Complex z) { return {-z.im, z.re}; }
Complex multiplyByMinusI(Complex z) { return {z.im, -z.re}; }

/// exp(x) * factor for a factor of at most 1, even if exp(x) overflows.
Real scaledExp(Real x, Real factor) {
  Condition large = x > x.with(709.0, 88.0);
  return select(large, exp(x - 1.0) * factor * eulers, exp(x) * factor);
}

Complex expOf(Complex z) {
  Real x = z.re, y = z.im;
  Real re = scaledExp(x, cos(y)), im = scaledExp(x, sin(y));
  Condition real = y == 0;
  re = select(real, exp(x), re);
  im = select(real, y, im);
  Condition lost = !isFinite(y); // the angle is unknown
  Condition down = lost && x < 0 && isInfinite(x), up = lost && x > 0 && isInfinite(x);
  return {select(down, 0.0, select(up, x, re)), select(down, 0.0, im)};
}

/// log(|z|): computed from |z|^2 - 1 near the unit circle, otherwise from |z|; scales tiny and huge numbers.
Real logAbs(Complex z) {
  Real a = abs(z.re), c = abs(z.im);
  Real large = larger(a, c), small = smaller(a, c);
  Condition huge = large > quarterOfLargest(a), tiny = large < a.with(0x1p-1022, 0x1p-126);
  Real up = a.with(0x1p+53, 0x1p+24);
  Real factor = select(huge, 0.5, select(tiny, up, 1.0));
  Real undo = select(huge, -ln2, select(tiny, a.with(53 * ln2, 24 * ln2), 0.0));
  Real size = hypot(z.re * factor, z.im * factor);
  Real plain = log(size) - undo;
  Real near = log1p((large - 1.0) * (large + 1.0) + small * small) * 0.5;
  return select(size > 0.71 && size < 1.73 && !tiny && !huge, near, plain);
}

Complex logOf(Complex z) { return {logAbs(z), atan2(z.im, z.re)}; }

Complex logToBase(Complex z, double logOfBase) {
  Complex l = logOf(z);
  return {l.re / logOfBase, l.im / logOfBase};
}

/// log(1 + z), accurate near 0.
Complex log1pOf(Complex z) {
  Real near = log1p(z.re * (2.0 + z.re) + z.im * z.im) * 0.5;
  Complex far = logOf({1.0 + z.re, z.im});
  return {select(hypot(z.re, z.im) < 0.5, near, far.re), atan2(z.im, 1.0 + z.re)};
}

/// exp(z) - 1, accurate near 0.
Complex expm1Of(Complex z) {
  Real half = sin(z.im * 0.5);
  Complex e = expOf(z);
  Real near = expm1(z.re) * cos(z.im) - 2.0 * half * half;
  return {select(abs(z.re) < 1.0, near, e.re - 1.0), e.im};
}

Complex sqrtOf(Complex z) {
  Real a = abs(z.re), c = abs(z.im);
  // Scale by a power of four, so that the sum below does not overflow and subnormals keep all bits.
  Condition tiny = larger(a, c) < a.with(0x1p-1020, 0x1p-124);
  Real up = select(tiny, a.with(0x1p+54, 0x1p+26), 0x1p-4);
  Real down = select(tiny, a.with(0x1p-27, 0x1p-13), 0x1p+2);
  Real x = a * up, y = c * up;
  Real s = sqrt((x + hypot(x, y)) * 0.5);
  Real d = y / (s * 2.0) * down;
  s = s * down;
  Condition right = z.re >= 0; // -0 counts as 0; NaN takes the other side, with NaN either way
  Real re = select(right, s, d), im = select(right, copysign(d, z.im), copysign(s, z.im));
  Condition zero = a == 0 && c == 0, infinite = isInfinite(z.im);
  return {select(zero, 0.0, select(infinite, c, re)), select(zero || infinite, z.im, im)};
}

/// cosh(x) * factor and sinh(x) * factor without overflow for factors below 1.
Real scaledCosh(Real x, Real factor) {
  Condition large = abs(x) > x.with(708.0, 87.0);
  Real near = x - copysign(1.0, x);
  return select(large, cosh(near) * factor * eulers, cosh(x) * factor);
}
Real scaledSinh(Real x, Real factor) {
  Condition large = abs(x) > x.with(708.0, 87.0);
  Real near = x - copysign(1.0, x);
  return select(large, sinh(near) * factor * eulers, sinh(x) * factor);
}

Complex coshOf(Complex z) {
  Real x = z.re, y = z.im;
  Real re = scaledCosh(x, cos(y)), im = scaledSinh(x, sin(y));
  Condition flat = y == 0, upright = x == 0 && !isFinite(y);
  Condition far = isInfinite(x) && !isFinite(y);
  re = select(flat, cosh(x), select(far, abs(x), re));
  im = select(flat, y * copysign(1.0, x), select(upright, copysign(0.0, x), im));
  return {re, im};
}

Complex sinhOf(Complex z) {
  Real x = z.re, y = z.im;
  Real re = scaledSinh(x, cos(y)), im = scaledCosh(x, sin(y));
  Condition flat = y == 0, upright = x == 0 && !isFinite(y);
  Condition far = isInfinite(x) && !isFinite(y);
  re = select(flat, sinh(x), select(far || upright, x, re));
  im = select(flat, y, im);
  return {re, im};
}

Complex tanhOf(Complex z) {
  Real x = z.re, y = z.im;
  Real t = tanh(x), u = tan(y), c = 1.0 / cosh(x);
  Real product = t * u;
  Real scale = 1.0 + product * product;
  Real re = t * (1.0 + u * u) / scale, im = u / scale * c * c;
  // cosh would overflow, and the imaginary part is almost 0.
  Condition far = abs(x) > x.with(300.0, 40.0);
  Real vanishing = sin(y) * cos(y) * 4.0 * exp(abs(x) * -2.0);
  vanishing = select(isInfinite(x), copysign(0.0, select(isFinite(y), vanishing, 0.0)), vanishing);
  re = select(far && (isFinite(y) || isInfinite(x)), copysign(1.0, x), re);
  im = select(far, vanishing, im);
  Condition flat = y == 0, upright = x == 0 && !isFinite(y);
  return {select(flat, t, select(upright, x, re)), select(flat, y, im)};
}

/// log(2 |z|) for large z.
Real logTwiceAbs(Complex z) { return log(hypot(z.re * 0.5, z.im * 0.5)) + 2 * ln2; }

Condition isLarge(Complex z) {
  return abs(z.re) > quarterOfLargest(z.re) || abs(z.im) > quarterOfLargest(z.re);
}

Complex acosOf(Complex z) {
  Complex low = sqrtOf({1.0 - z.re, -z.im}), high = sqrtOf({1.0 + z.re, z.im});
  Real re = atan2(low.re, high.re) * 2.0;
  Real im = asinh(high.re * low.im - high.im * low.re);
  Condition large = isLarge(z), upright = z.re == 0 && isNan(z.im);
  re = select(large, atan2(abs(z.im), z.re), select(upright, pi / 2, re));
  im = select(large, -copysign(logTwiceAbs(z), z.im), im);
  return {re, im};
}

Complex asinhOf(Complex z) {
  Complex low = sqrtOf({1.0 + z.im, -z.re}), high = sqrtOf({1.0 - z.im, z.re});
  Real re = asinh(low.re * high.im - high.re * low.im);
  Real im = atan2(z.im, low.re * high.re - low.im * high.im);
  Condition large = isLarge(z), flat = z.im == 0 && isNan(z.re);
  re = select(large, copysign(logTwiceAbs(z), z.re), re);
  im = select(large, atan2(z.im, abs(z.re)), select(flat, z.im, im));
  return {re, im};
}

Complex acoshOf(Complex z) {
  Complex low = sqrtOf({z.re - 1.0, z.im}), high = sqrtOf({z.re + 1.0, z.im});
  Real re = asinh(low.re * high.re + low.im * high.im);
  Real im = atan2(low.im, high.re) * 2.0;
  Condition large = isLarge(z), upright = z.re == 0 && isNan(z.im);
  im = select(large, atan2(z.im, z.re), select(upright, pi / 2, im));
  return {select(large, logTwiceAbs(z), re), im};
}

Complex atanhOf(Complex z) {
  // The function is odd: compute it in the right half plane.
  Real sign = copysign(1.0, z.re);
  Real x = abs(z.re), y = z.im * sign, ay = abs(y);
  Real root = x.with(0x1p+511, 0x1p+63), rootOfTiny = x.with(0x1p-511, 0x1p-63);
  Condition large = x > root || ay > root;
  Real h = hypot(x * 0.5, y * 0.5);
  Real farRe = select(isInfinite(x) || isInfinite(y), 0.0, x * 0.25 / h / h);
  Condition pole = x == 1 && ay < rootOfTiny;
  Real poleRe = -log(sqrt(ay) / sqrt(hypot(ay, ay.with(2.0))));
  Real poleIm = select(ay == 0, y, copysign(atan2(ay.with(2.0), -ay) * 0.5, y));
  Real gap = 1.0 - x;
  Real re = log1p(x * 4.0 / (gap * gap + ay * ay)) * 0.25;
  Real im = atan2(y * 2.0, gap * (1.0 + x) - ay * ay) * 0.5;
  re = select(large, farRe, select(pole, poleRe, re));
  im = select(large, copysign(pi / 2, y), select(pole, poleIm, im));
  re = select(x == 0, x, re);
  im = select(isNan(y), y, select(isNan(x) && !isInfinite(y), x, im));
  return {re * sign, im * sign};
}

Complex applyComplexFunction(ComplexFunction function, Complex z) {
  switch (function) {
  case ComplexFunction::Exp:
    return expOf(z);
  case ComplexFunction::Exp2:
    return expOf({z.re * ln2, z.im * ln2});
  case ComplexFunction::Expm1:
    return expm1Of(z);
  case ComplexFunction::Log:
    return logOf(z);
  case ComplexFunction::Log2:
    return logToBase(z, ln2);
  case ComplexFunction::Log10:
    return logToBase(z, ln10);
  case ComplexFunction::Log1p:
    return log1pOf(z);
  case ComplexFunction::Sqrt:
    return sqrtOf(z);
  case ComplexFunction::Sin:
    return multiplyByMinusI(sinhOf(multiplyByI(z)));
  case ComplexFunction::Cos:
    return coshOf(multiplyByI(z));
  case ComplexFunction::Tan:
    return multiplyByMinusI(tanhOf(multiplyByI(z)));
  case ComplexFunction::Asin:
    return multiplyByMinusI(asinhOf(multiplyByI(z)));
  case ComplexFunction::Acos:
    return acosOf(z);
  case ComplexFunction::Atan:
    return multiplyByMinusI(atanhOf(multiplyByI(z)));
  case ComplexFunction::Sinh:
    return sinhOf(z);
  case ComplexFunction::Cosh:
    return coshOf(z);
  case ComplexFunction::Tanh:
    return tanhOf(z);
  case ComplexFunction::Asinh:
    return asinhOf(z);
  case ComplexFunction::Acosh:
    return acoshOf(z);
  case ComplexFunction::Atanh:
    return atanhOf(z);
  }
  return z;
}

} // namespace

Parts emitComplexFunction(Emitter &e, ComplexFunction function, const Parts &z, Type type) {
  std::string name = "function" + std::to_string(unsigned(function));
  llvm::Function *f = getOrEmitComplexFunctionOfReals(
      e.module(), name, type, 2, [&](llvm::IRBuilder<> &b, llvm::Function &f) {
        return applyComplexFunction(function, {{b, f.getArg(0)}, {b, f.getArg(1)}});
      });
  return callAndExtractParts(e, f, {z[0], z[1]});
}

} // namespace heddle::python
