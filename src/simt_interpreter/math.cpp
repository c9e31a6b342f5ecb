#include "simt_interpreter/math.h"

#include "simt_interpreter/arithmetic.h"

#include <cmath>
#include <map>
#include <numbers>
#include <optional>

namespace heddle::interpreter {

using namespace llvm;
using simt::Op;

namespace {

double toDouble(const Type *type, const APInt &bits) {
  APFloat value = floatOf(type, bits);
  bool unused;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &unused);
  return value.convertToDouble();
}

APInt fromDouble(const Type *type, double number) {
  APFloat value(number);
  bool unused;
  value.convert(type->getFltSemantics(), APFloat::rmNearestTiesToEven, &unused);
  return value.bitcastToAPInt();
}

int ignoredExponent;

const std::map<Op, double (*)(double)> functionsOfOne = {
    {Op::Sin, ::sin},
    {Op::Cos, ::cos},
    {Op::Tan, ::tan},
    {Op::Asin, ::asin},
    {Op::Acos, ::acos},
    {Op::Atan, ::atan},
    {Op::Sinh, ::sinh},
    {Op::Cosh, ::cosh},
    {Op::Tanh, ::tanh},
    {Op::Asinh, ::asinh},
    {Op::Acosh, ::acosh},
    {Op::Atanh, ::atanh},
    {Op::Exp, ::exp},
    {Op::Exp2, ::exp2},
    {Op::Expm1, ::expm1},
    {Op::Log, ::log},
    {Op::Log2, ::log2},
    {Op::Log10, ::log10},
    {Op::Log1p, ::log1p},
    {Op::Erf, ::erf},
    {Op::Erfc, ::erfc},
    {Op::Gamma, ::tgamma},
    {Op::LogGamma, ::lgamma},
    {Op::Cbrt, ::cbrt},
    {Op::BesselJ0, ::j0},
    {Op::BesselJ1, ::j1},
    {Op::BesselY0, ::y0},
    {Op::BesselY1, ::y1},
    {Op::Exp10, [](double x) { return std::pow(10.0, x); }},
    {Op::NormCdf, [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }},
    {Op::Rcbrt, [](double x) { return 1 / std::cbrt(x); }},
    {Op::Rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {Op::SinPi, [](double x) { return std::sin(std::numbers::pi * std::fmod(x, 2.0)); }},
    {Op::CosPi, [](double x) { return std::cos(std::numbers::pi * std::fmod(x, 2.0)); }},
    {Op::FrexpFraction, [](double x) { return std::frexp(x, &ignoredExponent); }},
};

const std::map<Op, double (*)(double, double)> functionsOfTwo = {
    {Op::Pow, ::pow},   {Op::Atan2, ::atan2},         {Op::Hypot, ::hypot},
    {Op::Fmod, ::fmod}, {Op::Remainder, ::remainder},
};

/// Computed in the type itself, because neighbors differ between types.
APInt computeNextAfter(const Type *type, const APInt &x, const APInt &y) {
  APFloat from = floatOf(type, x), to = floatOf(type, y);
  if (from.isNaN() || to.isNaN())
    return from.isNaN() ? x : y;
  if (from == to)
    return y;
  from.next(/*nextDown=*/to < from);
  return from.bitcastToAPInt();
}

/// Functions with an integer operand or result.
std::optional<APInt> computeWithInteger(Op op, const Type *type, ArrayRef<APInt> operands) {
  int integer = 0;
  switch (op) {
  case Op::Ldexp: {
    int by = int(std::clamp<int64_t>(operands[1].getSExtValue(), -10000, 10000));
    return scalbn(floatOf(type, operands[0]), by, APFloat::rmNearestTiesToEven).bitcastToAPInt();
  }
  case Op::FrexpExponent:
    (void)std::frexp(toDouble(type, operands[0]), &integer);
    return APInt(32, uint64_t(integer), true);
  case Op::RemquoQuotient:
    (void)std::remquo(toDouble(type, operands[0]), toDouble(type, operands[1]), &integer);
    return APInt(32, uint64_t(integer), true);
  case Op::BesselJn:
  case Op::BesselYn: {
    int order = int(operands[0].getSExtValue());
    double x = toDouble(type, operands[1]);
    double result = order < 0 ? NAN : op == Op::BesselJn ? ::jn(order, x) : ::yn(order, x);
    return fromDouble(type, result);
  }
  default:
    return std::nullopt;
  }
}

/// The nearest root, moved to its neighbor if it is on the wrong side of the exact root.
APFloat squareRoot(const APFloat &x, RoundingMode mode) {
  const fltSemantics &semantics = x.getSemantics();
  bool unused;
  APFloat wide = x;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &unused);
  APFloat root(std::sqrt(wide.convertToDouble()));
  root.convert(semantics, APFloat::rmNearestTiesToEven, &unused);
  if (!root.isFiniteNonZero())
    return root;
  APFloat square = root, exact = x; // in a format that represents the square exactly
  square.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &unused);
  exact.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &unused);
  square.multiply(square, APFloat::rmNearestTiesToEven);
  if (square < exact && mode == APFloat::rmTowardPositive)
    root.next(false);
  if (square > exact && mode != APFloat::rmTowardPositive)
    root.next(true);
  return root;
}

/// Evaluates the rows AddDown to FmaToZero of ops.def: for each operation three, which round down, up and to zero.
APInt computeRounded(Op op, const Type *type, ArrayRef<APInt> operands) {
  unsigned row = unsigned(op) - unsigned(Op::AddDown);
  const RoundingMode modes[] = {APFloat::rmTowardNegative, APFloat::rmTowardPositive,
                                APFloat::rmTowardZero};
  RoundingMode mode = modes[row % 3];
  auto number = [&](unsigned i) { return floatOf(type, operands[i]); };
  APFloat result = number(0);
  switch (Op(unsigned(op) - row % 3)) {
  case Op::AddDown:
    result.add(number(1), mode);
    break;
  case Op::MulDown:
    result.multiply(number(1), mode);
    break;
  case Op::DivDown:
    result.divide(number(1), mode);
    break;
  case Op::SqrtDown:
    result = squareRoot(result, mode);
    break;
  default:
    result.fusedMultiplyAdd(number(1), number(2), mode);
  }
  return result.bitcastToAPInt();
}

} // namespace

APInt computeMath(Op op, const Type *type, ArrayRef<APInt> operands) {
  if (op == Op::NextAfter)
    return computeNextAfter(type, operands[0], operands[1]);
  if (std::optional<APInt> result = computeWithInteger(op, type, operands))
    return *result;
  if (op >= Op::AddDown && op <= Op::FmaToZero)
    return computeRounded(op, type, operands);
  double x = toDouble(type, operands[0]);
  if (auto row = functionsOfOne.find(op); row != functionsOfOne.end())
    return fromDouble(type, row->second(x));
  if (auto row = functionsOfTwo.find(op); row != functionsOfTwo.end())
    return fromDouble(type, row->second(x, toDouble(type, operands[1])));
  throw Failure{FailureKind::Unsupported, "the interpreter has no " + simt::info(op).name.str()};
}

} // namespace heddle::interpreter
