// cuda.libdevice: the functions of NVIDIA's math library under numba's names. Most are SIMT operations. The others are
// composed of operations here, so that all devices give the same results.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "simt/passes/relax_floats.h"

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;
using simt::Op;
using Values = llvm::ArrayRef<llvm::Value *>;

// The types of a row: each function takes scalars and returns a scalar or a tuple of two.

struct I16 {
  static Type type() { return intType(16); }
};
struct I32 {
  static Type type() { return int32Type(); }
};
struct I64 {
  static Type type() { return int64Type(); }
};
struct F32 {
  static Type type() { return float32Type(); }
};
struct F64 {
  static Type type() { return float64Type(); }
};
template <class A, class B> struct Both {
  static Type type() { return tupleType({A::type(), B::type()}); }
};

template <class Result, class... Parameters> Type typeBySignature(CallTyping &t) {
  for (unsigned i = 0; i < sizeof...(Parameters); ++i)
    t.requireScalar(i);
  return Result::type();
}

/// Applies `body` to the arguments, converted to the parameter types.
template <auto body, class... Parameters> Parts emitOnConvertedArguments(CallEmission &c) {
  unsigned i = 0;
  Parts values;
  (values.push_back(c.scalar(i++, Parameters::type())), ...);
  return body(c, values);
}

// Building blocks of rows. `data` is an operation or an intrinsic.

Parts callOperation(CallEmission &c, Values v) { return {callMath(c.e, Op(c.row.data), v)}; }
Parts callIntrinsic(CallEmission &c, Values v) {
  return {c.b.CreateIntrinsic(ID(c.row.data), {v[0]->getType()}, v)};
}

/// Prevents contraction or approximation of an operation with an explicit rounding mode.
llvm::Value *preventContraction(llvm::Value *v) {
  if (auto *operation = llvm::dyn_cast<llvm::Instruction>(v))
    operation->setMetadata(simt::exactMetadata, llvm::MDNode::get(v->getContext(), {}));
  return v;
}

/// Emits CUDA's fast, less accurate form of the operation: the hardware instruction on a GPU.
llvm::Value *emitFastMath(CallEmission &c, Op op, Values v) {
  auto *call = llvm::cast<llvm::Instruction>(callMath(c.e, op, v));
  call->setHasApproxFunc(true);
  return call;
}
Parts fastOperation(CallEmission &c, Values v) { return {emitFastMath(c, Op(c.row.data), v)}; }
Parts fastDivide(CallEmission &c, Values v) {
  llvm::Value *quotient = c.b.CreateFDiv(v[0], v[1]);
  if (auto *division = llvm::dyn_cast<llvm::Instruction>(quotient))
    division->setHasApproxFunc(true);
  return {quotient};
}
Parts fastSinCos(CallEmission &c, Values v) {
  return {emitFastMath(c, Op::Sin, v), emitFastMath(c, Op::Cos, v)};
}

Parts addToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateFAdd(v[0], v[1]))};
}
Parts multiplyToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateFMul(v[0], v[1]))};
}
Parts divideToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateFDiv(v[0], v[1]))};
}
Parts subtractToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateFSub(v[0], v[1]))};
}
/// x - y as an addition with directed rounding.
Parts subtractDirected(CallEmission &c, Values v) {
  return {callMath(c.e, Op(c.row.data), {v[0], c.b.CreateFNeg(v[1])})};
}

llvm::Value *floatConstant(const llvm::Value *like, double v) {
  return llvm::ConstantFP::get(like->getType(), v);
}
llvm::Value *integerConstant(const llvm::Value *like, int64_t v) {
  return llvm::ConstantInt::getSigned(like->getType(), v);
}
llvm::Value *absolute(CallEmission &c, llvm::Value *x) {
  return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}
llvm::Value *isNan(CallEmission &c, llvm::Value *x) { return c.b.CreateFCmpUNO(x, x); }

Parts reciprocalToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateFDiv(floatConstant(v[0], 1), v[0]))};
}
Parts reciprocalDirected(CallEmission &c, Values v) {
  return {callMath(c.e, Op(c.row.data), {floatConstant(v[0], 1), v[0]})};
}
/// Computes in float64, whose square root and quotient are accurate to the last place of a float32.
Parts exactReciprocalRoot(CallEmission &c, Values v) {
  llvm::Value *wide = c.b.CreateFPExt(v[0], c.b.getDoubleTy());
  llvm::Value *root = preventContraction(c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, wide));
  return {c.b.CreateFPTrunc(preventContraction(c.b.CreateFDiv(floatConstant(root, 1), root)),
                            v[0]->getType())};
}

// Functions with two results.

Parts sinCos(CallEmission &c, Values v) {
  return {callMath(c.e, Op::Sin, v), callMath(c.e, Op::Cos, v)};
}
Parts sinCosPi(CallEmission &c, Values v) {
  return {callMath(c.e, Op::SinPi, v), callMath(c.e, Op::CosPi, v)};
}
Parts frexp(CallEmission &c, Values v) {
  return {callMath(c.e, Op::FrexpFraction, v), callMath(c.e, Op::FrexpExponent, v)};
}
Parts modf(CallEmission &c, Values v) {
  llvm::Value *whole = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, v[0]);
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(v[0]->getType());
  llvm::Value *infinite = c.b.CreateFCmpOEQ(absolute(c, v[0]), infinity);
  llvm::Value *rest =
      c.b.CreateSelect(infinite, floatConstant(v[0], 0), c.b.CreateFSub(v[0], whole));
  return {c.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, v[0]), whole};
}
/// The sign and the three lowest bits of the quotient, on which all devices agree.
Parts remquo(CallEmission &c, Values v) {
  llvm::Value *quotient = callMath(c.e, Op::RemquoQuotient, v);
  llvm::Value *size = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, quotient, c.b.getFalse());
  llvm::Value *low = c.b.CreateAnd(size, integerConstant(size, 7));
  llvm::Value *negative = c.b.CreateICmpSLT(quotient, integerConstant(quotient, 0));
  return {callMath(c.e, Op::Remainder, v), c.b.CreateSelect(negative, c.b.CreateNeg(low), low)};
}

// Floats.

Parts positiveDifference(CallEmission &c, Values v) {
  llvm::Value *notAbove = c.b.CreateFCmpOLE(v[0], v[1]);
  return {c.b.CreateSelect(notAbove, floatConstant(v[0], 0), c.b.CreateFSub(v[0], v[1]))};
}
Parts saturate(CallEmission &c, Values v) {
  llvm::Value *low = c.b.CreateFCmpOGT(v[0], floatConstant(v[0], 0)); // false for NaN
  llvm::Value *x = c.b.CreateSelect(low, v[0], floatConstant(v[0], 0));
  return {c.b.CreateSelect(c.b.CreateFCmpOGT(x, floatConstant(x, 1)), floatConstant(x, 1), x)};
}
Parts raiseToIntegerPower(CallEmission &c, Values v) {
  return {callMath(c.e, Op::Pow, {v[0], c.b.CreateSIToFP(v[1], v[0]->getType())})};
}

enum Test { IsNan, IsInf, IsFinite, SignBit };
Parts testFloat(CallEmission &c, Values v) {
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(v[0]->getType());
  llvm::Value *size = absolute(c, v[0]), *holds = nullptr;
  switch (Test(c.row.data)) {
  case IsNan:
    holds = isNan(c, v[0]);
    break;
  case IsInf:
    holds = c.b.CreateFCmpOEQ(size, infinity);
    break;
  case IsFinite:
    holds = c.b.CreateFCmpOLT(size, infinity);
    break;
  case SignBit: {
    unsigned bits = v[0]->getType()->getPrimitiveSizeInBits();
    llvm::Value *raw = c.b.CreateBitCast(v[0], c.b.getIntNTy(bits));
    holds = c.b.CreateICmpSLT(raw, integerConstant(raw, 0));
  }
  }
  return {c.b.CreateZExt(holds, c.b.getInt32Ty())};
}

struct Exponent {
  llvm::Value *value; ///< for numbers with none of the following properties
  llvm::Value *isZero, *isInfinite, *isNan;
};
Exponent exponentOf(CallEmission &c, llvm::Value *x) {
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(x->getType());
  llvm::Value *ofHalf = callMath(c.e, Op::FrexpExponent, {x}); // for a fraction in [1/2, 1)
  return {c.b.CreateSub(ofHalf, c.b.getInt32(1)), c.b.CreateFCmpOEQ(x, floatConstant(x, 0)),
          c.b.CreateFCmpOEQ(absolute(c, x), infinity), isNan(c, x)};
}
Parts exponentAsInteger(CallEmission &c, Values v) {
  Exponent e = exponentOf(c, v[0]);
  llvm::Value *lowest = c.b.getInt32(0x80000000);
  llvm::Value *special = c.b.CreateSelect(e.isInfinite, c.b.getInt32(0x7fffffff), lowest);
  llvm::Value *isSpecial = c.b.CreateOr(c.b.CreateOr(e.isZero, e.isInfinite), e.isNan);
  return {c.b.CreateSelect(isSpecial, special, e.value)};
}
Parts exponentAsFloat(CallEmission &c, Values v) {
  Exponent e = exponentOf(c, v[0]);
  llvm::Type *type = v[0]->getType();
  llvm::Value *out = c.b.CreateSIToFP(e.value, type);
  out = c.b.CreateSelect(e.isZero, llvm::ConstantFP::getInfinity(type, /*Negative=*/true), out);
  out = c.b.CreateSelect(e.isInfinite, llvm::ConstantFP::getInfinity(type), out);
  return {c.b.CreateSelect(e.isNan, v[0], out)};
}

// Conversions. `data` is the rounding mode: down, up, to zero, or to nearest even.

enum Rounding { Down, Up, ToZero, Nearest };

ID roundingIntrinsic(Rounding rounding) {
  static constexpr ID ids[] = {llvm::Intrinsic::floor, llvm::Intrinsic::ceil,
                               llvm::Intrinsic::trunc, llvm::Intrinsic::rint};
  return ids[rounding];
}

/// Converts a float to an integer with saturation. NaN gives 0 from float32 to 32 bits, otherwise only the highest bit
/// (PTX ISA 9.0, cvt).
llvm::Value *convertSaturating(CallEmission &c, llvm::Value *whole, llvm::Type *to, bool isSigned) {
  ID id = isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Value *result = c.b.CreateIntrinsic(id, {to, whole->getType()}, {whole});
  if (whole->getType()->isFloatTy() && to->isIntegerTy(32))
    return result;
  llvm::Value *high = llvm::ConstantInt::get(to, uint64_t(1) << (to->getIntegerBitWidth() - 1));
  return c.b.CreateSelect(isNan(c, whole), high, result);
}
template <bool isSigned> Parts toInteger(CallEmission &c, Values v) {
  llvm::Value *whole = c.b.CreateUnaryIntrinsic(roundingIntrinsic(Rounding(c.row.data)), v[0]);
  return {convertSaturating(c, whole, c.b.getIntNTy(c.call.type->bits), isSigned)};
}
/// Rounds half away from zero.
Parts roundToInteger(CallEmission &c, Values v) {
  llvm::Value *whole = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::round, v[0]);
  return {convertSaturating(c, whole, c.b.getInt64Ty(), /*isSigned=*/true)};
}

/// Converts an integer to a float: truncates the magnitude, and adds one unit if it rounds away from zero and any
/// dropped bit was set. Both steps are exact.
template <bool isSigned> Parts fromInteger(CallEmission &c, Values v) {
  llvm::IRBuilder<> &b = c.b;
  bool isDouble = c.call.type == float64Type();
  llvm::Type *type = isDouble ? b.getDoubleTy() : b.getFloatTy();
  Rounding rounding = Rounding(c.row.data);
  if (rounding == Nearest)
    return {isSigned ? b.CreateSIToFP(v[0], type) : b.CreateUIToFP(v[0], type)};
  llvm::Value *x =
      isSigned ? b.CreateSExt(v[0], b.getInt64Ty()) : b.CreateZExt(v[0], b.getInt64Ty());
  llvm::Value *nil = b.getInt64(0);
  llvm::Value *negative = isSigned ? b.CreateICmpSLT(x, nil) : b.getFalse();
  llvm::Value *size = b.CreateSelect(negative, b.CreateNeg(x), x);
  llvm::Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, size, b.getFalse());
  llvm::Value *spare = b.getInt64(isDouble ? 64 - 53 : 64 - 24);
  llvm::Value *lost = b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, spare, zeros);
  llvm::Value *unit = b.CreateShl(b.getInt64(1), lost);
  llvm::Value *mask = b.CreateSub(unit, b.getInt64(1));
  llvm::Value *below = b.CreateUIToFP(b.CreateAnd(size, b.CreateNot(mask)), type);
  llvm::Value *inexact = b.CreateICmpNE(b.CreateAnd(size, mask), nil);
  llvm::Value *away = rounding == ToZero ? b.getFalse()
                      : rounding == Up   ? b.CreateNot(negative)
                                         : negative;
  llvm::Value *above = b.CreateFAdd(below, b.CreateUIToFP(unit, type));
  llvm::Value *rounded = b.CreateSelect(b.CreateAnd(inexact, away), above, below);
  return {b.CreateSelect(negative, b.CreateFNeg(rounded), rounded)};
}

/// Converts a double to a float: rounds to nearest, and takes the neighbor if that is on the wrong side.
Parts narrowToFloat(CallEmission &c, Values v) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *nearest = b.CreateFPTrunc(v[0], b.getFloatTy());
  Rounding rounding = Rounding(c.row.data);
  if (rounding == Nearest)
    return {nearest};
  llvm::Value *back = b.CreateFPExt(nearest, b.getDoubleTy());
  bool up = rounding == Up;
  llvm::Value *wrong = rounding == ToZero ? b.CreateFCmpOGT(absolute(c, back), absolute(c, v[0]))
                       : up               ? b.CreateFCmpOLT(back, v[0])
                                          : b.CreateFCmpOGT(back, v[0]);
  llvm::Value *towards = rounding == ToZero
                             ? floatConstant(nearest, 0)
                             : llvm::ConstantFP::getInfinity(nearest->getType(), !up);
  return {b.CreateSelect(wrong, callMath(c.e, Op::NextAfter, {nearest, towards}), nearest)};
}

Parts reinterpretBits(CallEmission &c, Values v) {
  Type to = c.call.type;
  llvm::Type *type = to.isInteger()        ? c.b.getIntNTy(to->bits)
                     : to == float32Type() ? c.b.getFloatTy()
                                           : c.b.getDoubleTy();
  return {c.b.CreateBitCast(v[0], type)};
}
Parts toHalf(CallEmission &c, Values v) {
  return {c.b.CreateBitCast(c.b.CreateFPTrunc(v[0], c.b.getHalfTy()), c.b.getInt16Ty())};
}
Parts fromHalf(CallEmission &c, Values v) {
  return {c.b.CreateFPExt(c.b.CreateBitCast(v[0], c.b.getHalfTy()), c.b.getFloatTy())};
}
Parts highWord(CallEmission &c, Values v) {
  llvm::Value *bits = c.b.CreateBitCast(v[0], c.b.getInt64Ty());
  return {c.b.CreateTrunc(c.b.CreateLShr(bits, 32), c.b.getInt32Ty())};
}
Parts lowWord(CallEmission &c, Values v) {
  return {c.b.CreateTrunc(c.b.CreateBitCast(v[0], c.b.getInt64Ty()), c.b.getInt32Ty())};
}
Parts fromWords(CallEmission &c, Values v) {
  llvm::Value *high = c.b.CreateShl(c.b.CreateZExt(v[0], c.b.getInt64Ty()), 32);
  llvm::Value *bits = c.b.CreateOr(high, c.b.CreateZExt(v[1], c.b.getInt64Ty()));
  return {c.b.CreateBitCast(bits, c.b.getDoubleTy())};
}

// Integers.

llvm::Value *widenInteger(CallEmission &c, llvm::Value *v, bool isSigned) {
  llvm::Type *wide = c.b.getIntNTy(2 * v->getType()->getIntegerBitWidth());
  return isSigned ? c.b.CreateSExt(v, wide) : c.b.CreateZExt(v, wide);
}
template <bool isSigned> Parts highProduct(CallEmission &c, Values v) {
  llvm::Value *product =
      c.b.CreateMul(widenInteger(c, v[0], isSigned), widenInteger(c, v[1], isSigned));
  llvm::Value *high = c.b.CreateLShr(product, v[0]->getType()->getIntegerBitWidth());
  return {c.b.CreateTrunc(high, v[0]->getType())};
}
/// The product of the low 24 bits of each argument.
template <bool isSigned> Parts product24(CallEmission &c, Values v) {
  auto low = [&](llvm::Value *x) {
    x = c.b.CreateShl(x, 8);
    return isSigned ? c.b.CreateAShr(x, 8) : c.b.CreateLShr(x, 8);
  };
  return {c.b.CreateMul(low(v[0]), low(v[1]))};
}
/// (a + b + data) >> 1 without overflow.
template <bool isSigned> Parts average(CallEmission &c, Values v) {
  llvm::Value *sum =
      c.b.CreateAdd(widenInteger(c, v[0], isSigned), widenInteger(c, v[1], isSigned));
  sum = c.b.CreateAdd(sum, integerConstant(sum, c.row.data));
  return {c.b.CreateTrunc(c.b.CreateLShr(sum, 1), v[0]->getType())};
}
template <bool isSigned> Parts addAbsoluteDifference(CallEmission &c, Values v) {
  ID larger = isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
  ID smaller = isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
  llvm::Value *distance = c.b.CreateSub(c.b.CreateBinaryIntrinsic(larger, v[0], v[1]),
                                        c.b.CreateBinaryIntrinsic(smaller, v[0], v[1]));
  return {c.b.CreateAdd(distance, v[2])};
}
Parts absoluteInteger(CallEmission &c, Values v) {
  return {c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], c.b.getFalse())};
}
Parts resizeCountToInt32(CallEmission &c, llvm::Value *count) {
  return {c.b.CreateZExtOrTrunc(count, c.b.getInt32Ty())};
}
Parts countLeadingZeros(CallEmission &c, Values v) {
  return resizeCountToInt32(c,
                            c.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, v[0], c.b.getFalse()));
}
Parts countSetBits(CallEmission &c, Values v) {
  return resizeCountToInt32(c, c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, v[0]));
}
Parts findFirstSetBit(CallEmission &c, Values v) {
  llvm::Value *place = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, v[0], c.b.getFalse());
  llvm::Value *fromOne = c.b.CreateAdd(place, integerConstant(place, 1));
  llvm::Value *none = c.b.CreateICmpEQ(v[0], integerConstant(v[0], 0));
  return resizeCountToInt32(c, c.b.CreateSelect(none, integerConstant(place, 0), fromOne));
}
/// Byte i of the result is the byte of a (0 to 3) or b (4 to 7) that the low three bits of selector nibble i select.
Parts permuteBytes(CallEmission &c, Values v) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *both = b.CreateOr(b.CreateZExt(v[0], b.getInt64Ty()),
                                 b.CreateShl(b.CreateZExt(v[1], b.getInt64Ty()), 32));
  llvm::Value *result = b.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    llvm::Value *chosen = b.CreateAnd(b.CreateLShr(v[2], 4 * i), b.getInt32(7));
    llvm::Value *distance = b.CreateZExt(b.CreateShl(chosen, 3), b.getInt64Ty());
    llvm::Value *byte = b.CreateTrunc(b.CreateLShr(both, distance), b.getInt8Ty());
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * i));
  }
  return {result};
}

// Rows. Most names for float64 have a float32 variant with suffix f.

#define ROW(name, signature, doc, body, data, result, ...)                                         \
  {"cuda.libdevice." name,                                                                         \
   signature,                                                                                      \
   doc,                                                                                            \
   typeBySignature<result, __VA_ARGS__>,                                                           \
   emitOnConvertedArguments<body, __VA_ARGS__>,                                                    \
   unsigned(data)},
#define UNARY(name, doc, body, data)                                                               \
  ROW(name, "(x)", doc, body, data, F64, F64)                                                      \
  ROW(name "f", "(x)", doc, body, data, F32, F32)
#define BINARY(name, signature, doc, body, data)                                                   \
  ROW(name, signature, doc, body, data, F64, F64, F64)                                             \
  ROW(name "f", signature, doc, body, data, F32, F32, F32)
#define MATH(name, op, doc) UNARY(name, doc, callOperation, Op::op)
#define MATH2(name, signature, op, doc) BINARY(name, signature, doc, callOperation, Op::op)
#define PLAIN(name, id, doc) UNARY(name, doc, callIntrinsic, llvm::Intrinsic::id)
#define BY_INTEGER(name, signature, body, data, doc)                                               \
  ROW(name, signature, doc, body, data, F64, F64, I32)                                             \
  ROW(name "f", signature, doc, body, data, F32, F32, I32)
#define OF_ORDER(name, op, doc)                                                                    \
  ROW(name, "(n, x)", doc, callOperation, Op::op, F64, I32, F64)                                   \
  ROW(name "f", "(n, x)", doc, callOperation, Op::op, F32, I32, F32)
#define FAST(name, op, doc) ROW("fast_" name, "(x)", doc, fastOperation, Op::op, F32, F32)
#define COMMA ,

/// The four rounding modes of an arithmetic operation on one type.
#define ROUNDED(name, signature, nearest, directed, op, doc, type, ...)                            \
  ROW(name "_rn", signature, doc ", rounded to the nearest.", nearest, Op::op##Down, type,         \
      __VA_ARGS__)                                                                                 \
  ROW(name "_rd", signature, doc ", rounded down.", directed, Op::op##Down, type, __VA_ARGS__)     \
  ROW(name "_ru", signature, doc ", rounded up.", directed, Op::op##Up, type, __VA_ARGS__)         \
  ROW(name "_rz", signature, doc ", rounded to zero.", directed, Op::op##ToZero, type, __VA_ARGS__)

/// The four rounding modes of a conversion.
#define CONVERTED(name, doc, body, result, from)                                                   \
  ROW(name "_rn", "(x)", doc ", rounded to the nearest.", body, Nearest, result, from)             \
  ROW(name "_rd", "(x)", doc ", rounded down.", body, Down, result, from)                          \
  ROW(name "_ru", "(x)", doc ", rounded up.", body, Up, result, from)                              \
  ROW(name "_rz", "(x)", doc ", rounded to zero.", body, ToZero, result, from)

Parts squareRootToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]))};
}
Parts fmaToNearest(CallEmission &c, Values v) {
  return {preventContraction(c.b.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, v))};
}

const LibraryRow table[] = {
    // clang-format off
    MATH("sin", Sin, "Sine.")
    MATH("cos", Cos, "Cosine.")
    MATH("tan", Tan, "Tangent.")
    MATH("sinpi", SinPi, "Sine of x times pi.")
    MATH("cospi", CosPi, "Cosine of x times pi.")
    MATH("asin", Asin, "Arc sine.")
    MATH("acos", Acos, "Arc cosine.")
    MATH("atan", Atan, "Arc tangent.")
    MATH("sinh", Sinh, "Hyperbolic sine.")
    MATH("cosh", Cosh, "Hyperbolic cosine.")
    MATH("tanh", Tanh, "Hyperbolic tangent.")
    MATH("asinh", Asinh, "Inverse hyperbolic sine.")
    MATH("acosh", Acosh, "Inverse hyperbolic cosine.")
    MATH("atanh", Atanh, "Inverse hyperbolic tangent.")
    MATH("exp", Exp, "e to the power x.")
    MATH("exp2", Exp2, "2 to the power x.")
    MATH("exp10", Exp10, "10 to the power x.")
    MATH("expm1", Expm1, "exp(x) - 1, accurate near 0.")
    MATH("log", Log, "Natural logarithm.")
    MATH("log2", Log2, "Logarithm to base 2.")
    MATH("log10", Log10, "Logarithm to base 10.")
    MATH("log1p", Log1p, "log(1 + x), accurate near 0.")
    MATH("erf", Erf, "Error function.")
    MATH("erfc", Erfc, "Complementary error function.")
    MATH("erfcx", Erfcx, "exp(x * x) * erfc(x).")
    MATH("erfinv", ErfInv, "Inverse of the error function.")
    MATH("erfcinv", ErfcInv, "Inverse of the complementary error function.")
    MATH("normcdf", NormCdf, "Cumulative distribution function of the standard normal distribution.")
    MATH("normcdfinv", NormCdfInv, "Inverse of normcdf.")
    MATH("tgamma", Gamma, "Gamma function.")
    MATH("lgamma", LogGamma, "Logarithm of the gamma function's absolute value.")
    MATH("cbrt", Cbrt, "Cube root.")
    MATH("rcbrt", Rcbrt, "1 / cbrt(x).")
    MATH("rsqrt", Rsqrt, "1 / sqrt(x).")
    MATH("j0", BesselJ0, "Bessel function of the first kind, order 0.")
    MATH("j1", BesselJ1, "Bessel function of the first kind, order 1.")
    MATH("y0", BesselY0, "Bessel function of the second kind, order 0.")
    MATH("y1", BesselY1, "Bessel function of the second kind, order 1.")
    OF_ORDER("jn", BesselJn, "Bessel function of the first kind, order n.")
    OF_ORDER("yn", BesselYn, "Bessel function of the second kind, order n.")
    PLAIN("sqrt", sqrt, "Square root.")
    PLAIN("fabs", fabs, "Absolute value.")
    PLAIN("floor", floor, "The largest integer not above x, as a float.")
    PLAIN("ceil", ceil, "The smallest integer not below x, as a float.")
    PLAIN("trunc", trunc, "x rounded toward zero, as a float.")
    PLAIN("rint", rint, "Rounds to the nearest integer, ties to even, as a float.")
    PLAIN("nearbyint", nearbyint, "Rounds to the nearest integer, ties to even, as a float.")
    PLAIN("round", round, "Rounds to the nearest integer, ties away from zero, as a float.")
    MATH2("pow", "(x, y)", Pow, "x to the power y.")
    MATH2("atan2", "(y, x)", Atan2, "Angle of the point (x, y).")
    MATH2("hypot", "(x, y)", Hypot, "sqrt(x*x + y*y) without overflow.")
    MATH2("fmod", "(x, y)", Fmod, "Remainder with the sign of x.")
    MATH2("remainder", "(x, y)", Remainder, "IEEE 754 remainder.")
    MATH2("nextafter", "(x, y)", NextAfter, "The next float after x toward y.")
    BINARY("copysign", "(x, y)", "x with the sign of y.", callIntrinsic, llvm::Intrinsic::copysign)
    BINARY("fmax", "(x, y)", "The larger value; ignores a NaN.", callIntrinsic, llvm::Intrinsic::maximumnum)
    BINARY("fmin", "(x, y)", "The smaller value; ignores a NaN.", callIntrinsic, llvm::Intrinsic::minimumnum)
    BINARY("fdim", "(x, y)", "x - y if it is positive, else 0.", positiveDifference, 0)
    BY_INTEGER("ldexp", "(x, n)", callOperation, Op::Ldexp, "x times 2 ** n.")
    BY_INTEGER("scalbn", "(x, n)", callOperation, Op::Ldexp, "x times 2 ** n.")
    BY_INTEGER("powi", "(x, n)", raiseToIntegerPower, 0, "x to the power of an integer.")
    UNARY("logb", "Exponent of x as a float.", exponentAsFloat, 0)
    ROW("ilogb", "(x)", "Exponent of x.", exponentAsInteger, 0, I32, F64)
    ROW("ilogbf", "(x)", "Exponent of x.", exponentAsInteger, 0, I32, F32)
    ROW("fma", "(x, y, z)", "x * y + z with one rounding.", fmaToNearest, 0, F64, F64, F64, F64)
    ROW("fmaf", "(x, y, z)", "x * y + z with one rounding.", fmaToNearest, 0, F32, F32, F32, F32)
    ROW("saturatef", "(x)", "x clamped to [0, 1]; 0 for NaN.", saturate, 0, F32, F32)

    ROW("sincos", "(x)", "The tuple (sine, cosine).", sinCos, 0, Both<F64 COMMA F64>, F64)
    ROW("sincosf", "(x)", "The tuple (sine, cosine).", sinCos, 0, Both<F32 COMMA F32>, F32)
    ROW("sincospi", "(x)", "The tuple (sine, cosine) of x times pi.", sinCosPi, 0, Both<F64 COMMA F64>, F64)
    ROW("sincospif", "(x)", "The tuple (sine, cosine) of x times pi.", sinCosPi, 0, Both<F32 COMMA F32>, F32)
    ROW("frexp", "(x)", "The tuple (fraction in [0.5, 1), exponent).", frexp, 0, Both<F64 COMMA I32>, F64)
    ROW("frexpf", "(x)", "The tuple (fraction in [0.5, 1), exponent).", frexp, 0, Both<F32 COMMA I32>, F32)
    ROW("modf", "(x)", "The tuple (fraction, whole part), both with the sign of x.", modf, 0, Both<F64 COMMA F64>, F64)
    ROW("modff", "(x)", "The tuple (fraction, whole part), both with the sign of x.", modf, 0, Both<F32 COMMA F32>, F32)
    ROW("remquo", "(x, y)", "The tuple (IEEE 754 remainder, sign and three lowest bits of the quotient).", remquo, 0, Both<F64 COMMA I32>, F64, F64)
    ROW("remquof", "(x, y)", "The tuple (IEEE 754 remainder, sign and three lowest bits of the quotient).", remquo, 0, Both<F32 COMMA I32>, F32, F32)

    FAST("sinf", Sin, "Sine, less accurate on GPUs.")
    FAST("cosf", Cos, "Cosine, less accurate on GPUs.")
    FAST("tanf", Tan, "Tangent, less accurate on GPUs.")
    FAST("expf", Exp, "e to the power x, less accurate on GPUs.")
    FAST("exp10f", Exp10, "10 to the power x, less accurate on GPUs.")
    FAST("logf", Log, "Natural logarithm, less accurate on GPUs.")
    FAST("log2f", Log2, "Logarithm to base 2, less accurate on GPUs.")
    FAST("log10f", Log10, "Logarithm to base 10, less accurate on GPUs.")
    ROW("fast_powf", "(x, y)", "x to the power y, less accurate on GPUs.", fastOperation, Op::Pow, F32, F32, F32)
    ROW("fast_fdividef", "(x, y)", "x / y, less accurate on GPUs.", fastDivide, 0, F32, F32, F32)
    ROW("fast_sincosf", "(x)", "The tuple (sine, cosine), less accurate on GPUs.", fastSinCos, 0, Both<F32 COMMA F32>, F32)

    ROW("isnand", "(x)", "1 if x is NaN, else 0.", testFloat, IsNan, I32, F64)
    ROW("isnanf", "(x)", "1 if x is NaN, else 0.", testFloat, IsNan, I32, F32)
    ROW("isinfd", "(x)", "1 if x is infinite, else 0.", testFloat, IsInf, I32, F64)
    ROW("isinff", "(x)", "1 if x is infinite, else 0.", testFloat, IsInf, I32, F32)
    ROW("isfinited", "(x)", "1 if x is finite, else 0.", testFloat, IsFinite, I32, F64)
    ROW("finitef", "(x)", "1 if x is finite, else 0.", testFloat, IsFinite, I32, F32)
    ROW("signbitd", "(x)", "The sign bit of x.", testFloat, SignBit, I32, F64)
    ROW("signbitf", "(x)", "The sign bit of x.", testFloat, SignBit, I32, F32)

    ROUNDED("dadd", "(x, y)", addToNearest, callOperation, Add, "x + y", F64, F64, F64)
    ROUNDED("fadd", "(x, y)", addToNearest, callOperation, Add, "x + y", F32, F32, F32)
    ROUNDED("fsub", "(x, y)", subtractToNearest, subtractDirected, Add, "x - y", F32, F32, F32)
    ROUNDED("dmul", "(x, y)", multiplyToNearest, callOperation, Mul, "x * y", F64, F64, F64)
    ROUNDED("fmul", "(x, y)", multiplyToNearest, callOperation, Mul, "x * y", F32, F32, F32)
    ROUNDED("ddiv", "(x, y)", divideToNearest, callOperation, Div, "x / y", F64, F64, F64)
    ROUNDED("fdiv", "(x, y)", divideToNearest, callOperation, Div, "x / y", F32, F32, F32)
    ROUNDED("drcp", "(x)", reciprocalToNearest, reciprocalDirected, Div, "1 / x", F64, F64)
    ROUNDED("frcp", "(x)", reciprocalToNearest, reciprocalDirected, Div, "1 / x", F32, F32)
    ROUNDED("dsqrt", "(x)", squareRootToNearest, callOperation, Sqrt, "Square root", F64, F64)
    ROUNDED("fsqrt", "(x)", squareRootToNearest, callOperation, Sqrt, "Square root", F32, F32)
    ROUNDED("fma", "(x, y, z)", fmaToNearest, callOperation, Fma, "x * y + z", F64, F64, F64, F64)
    ROUNDED("fmaf", "(x, y, z)", fmaToNearest, callOperation, Fma, "x * y + z", F32, F32, F32, F32)
    ROW("frsqrt_rn", "(x)", "1 / sqrt(x), rounded to the nearest.", exactReciprocalRoot, 0, F32, F32)

    CONVERTED("double2float", "x as a float32", narrowToFloat, F32, F64)
    CONVERTED("double2int", "x as an int32 that saturates", toInteger<true>, I32, F64)
    CONVERTED("double2uint", "x as the bits of a uint32 that saturates", toInteger<false>, I32, F64)
    CONVERTED("double2ll", "x as an int64 that saturates", toInteger<true>, I64, F64)
    CONVERTED("double2ull", "x as the bits of a uint64 that saturates", toInteger<false>, I64, F64)
    CONVERTED("float2int", "x as an int32 that saturates", toInteger<true>, I32, F32)
    CONVERTED("float2uint", "x as the bits of a uint32 that saturates", toInteger<false>, I32, F32)
    CONVERTED("float2ll", "x as an int64 that saturates", toInteger<true>, I64, F32)
    CONVERTED("float2ull", "x as the bits of a uint64 that saturates", toInteger<false>, I64, F32)
    CONVERTED("int2float", "An int32 as a float32", fromInteger<true>, F32, I32)
    CONVERTED("uint2float", "The bits of a uint32 as a float32", fromInteger<false>, F32, I32)
    CONVERTED("ll2float", "An int64 as a float32", fromInteger<true>, F32, I64)
    CONVERTED("ull2float", "The bits of a uint64 as a float32", fromInteger<false>, F32, I64)
    CONVERTED("ll2double", "An int64 as a float64", fromInteger<true>, F64, I64)
    CONVERTED("ull2double", "The bits of a uint64 as a float64", fromInteger<false>, F64, I64)
    ROW("int2double_rn", "(x)", "An int32 as a float64.", fromInteger<true>, Nearest, F64, I32)
    ROW("uint2double_rn", "(x)", "The bits of a uint32 as a float64.", fromInteger<false>, Nearest, F64, I32)
    ROW("llrint", "(x)", "Rounds to the nearest int64, ties to even.", toInteger<true>, Nearest, I64, F64)
    ROW("llrintf", "(x)", "Rounds to the nearest int64, ties to even.", toInteger<true>, Nearest, I64, F32)
    ROW("llround", "(x)", "Rounds to the nearest int64, ties away from zero.", roundToInteger, 0, I64, F64)
    ROW("llroundf", "(x)", "Rounds to the nearest int64, ties away from zero.", roundToInteger, 0, I64, F32)
    ROW("float2half_rn", "(x)", "Converts to the nearest float16 and returns its bits.", toHalf, 0, I16, F32)
    ROW("half2float", "(x)", "Converts the bits of a float16 to float32.", fromHalf, 0, F32, I16)
    ROW("double_as_longlong", "(x)", "The bits of a float64.", reinterpretBits, 0, I64, F64)
    ROW("longlong_as_double", "(x)", "The float64 with these bits.", reinterpretBits, 0, F64, I64)
    ROW("float_as_int", "(x)", "The bits of a float32.", reinterpretBits, 0, I32, F32)
    ROW("int_as_float", "(x)", "The float32 with these bits.", reinterpretBits, 0, F32, I32)
    ROW("double2hiint", "(x)", "The high 32 bits of a float64.", highWord, 0, I32, F64)
    ROW("double2loint", "(x)", "The low 32 bits of a float64.", lowWord, 0, I32, F64)
    ROW("hiloint2double", "(high, low)", "The float64 with these bits.", fromWords, 0, F64, I32, I32)

    ROW("abs", "(x)", "Absolute value of an int32.", absoluteInteger, 0, I32, I32)
    ROW("llabs", "(x)", "Absolute value of an int64.", absoluteInteger, 0, I64, I64)
    ROW("max", "(x, y)", "The larger int32.", callIntrinsic, llvm::Intrinsic::smax, I32, I32, I32)
    ROW("min", "(x, y)", "The smaller int32.", callIntrinsic, llvm::Intrinsic::smin, I32, I32, I32)
    ROW("umax", "(x, y)", "The larger, read as uint32.", callIntrinsic, llvm::Intrinsic::umax, I32, I32, I32)
    ROW("umin", "(x, y)", "The smaller, read as uint32.", callIntrinsic, llvm::Intrinsic::umin, I32, I32, I32)
    ROW("llmax", "(x, y)", "The larger int64.", callIntrinsic, llvm::Intrinsic::smax, I64, I64, I64)
    ROW("llmin", "(x, y)", "The smaller int64.", callIntrinsic, llvm::Intrinsic::smin, I64, I64, I64)
    ROW("ullmax", "(x, y)", "The larger, read as uint64.", callIntrinsic, llvm::Intrinsic::umax, I64, I64, I64)
    ROW("ullmin", "(x, y)", "The smaller, read as uint64.", callIntrinsic, llvm::Intrinsic::umin, I64, I64, I64)
    ROW("mulhi", "(x, y)", "The high 32 bits of the product.", highProduct<true>, 0, I32, I32, I32)
    ROW("umulhi", "(x, y)", "The high 32 bits of the product, read as uint32.", highProduct<false>, 0, I32, I32, I32)
    ROW("mul64hi", "(x, y)", "The high 64 bits of the product.", highProduct<true>, 0, I64, I64, I64)
    ROW("umul64hi", "(x, y)", "The high 64 bits of the product, read as uint64.", highProduct<false>, 0, I64, I64, I64)
    ROW("mul24", "(x, y)", "The product of the low 24 bits, as signed integers.", product24<true>, 0, I32, I32, I32)
    ROW("umul24", "(x, y)", "The product of the low 24 bits.", product24<false>, 0, I32, I32, I32)
    ROW("hadd", "(x, y)", "(x + y) >> 1 without overflow.", average<true>, 0, I32, I32, I32)
    ROW("uhadd", "(x, y)", "(x + y) >> 1 of uint32s without overflow.", average<false>, 0, I32, I32, I32)
    ROW("rhadd", "(x, y)", "(x + y + 1) >> 1 without overflow.", average<true>, 1, I32, I32, I32)
    ROW("urhadd", "(x, y)", "(x + y + 1) >> 1 of uint32s without overflow.", average<false>, 1, I32, I32, I32)
    ROW("sad", "(x, y, z)", "abs(x - y) + z.", addAbsoluteDifference<true>, 0, I32, I32, I32, I32)
    ROW("usad", "(x, y, z)", "abs(x - y) + z of uint32s.", addAbsoluteDifference<false>, 0, I32, I32, I32, I32)
    ROW("brev", "(x)", "Reverses the bits.", callIntrinsic, llvm::Intrinsic::bitreverse, I32, I32)
    ROW("brevll", "(x)", "Reverses the bits.", callIntrinsic, llvm::Intrinsic::bitreverse, I64, I64)
    ROW("clz", "(x)", "The number of leading zero bits.", countLeadingZeros, 0, I32, I32)
    ROW("clzll", "(x)", "The number of leading zero bits.", countLeadingZeros, 0, I32, I64)
    ROW("popc", "(x)", "The number of set bits.", countSetBits, 0, I32, I32)
    ROW("popcll", "(x)", "The number of set bits.", countSetBits, 0, I32, I64)
    ROW("ffs", "(x)", "The position of the lowest set bit, from 1; 0 if no bit is set.", findFirstSetBit, 0, I32, I32)
    ROW("ffsll", "(x)", "The position of the lowest set bit, from 1; 0 if no bit is set.", findFirstSetBit, 0, I32, I64)
    ROW("byte_perm", "(x, y, s)", "Selects four of the eight bytes of x and y by the nibbles of s.", permuteBytes, 0, I32, I32, I32, I32)
    // clang-format on
};

} // namespace

llvm::ArrayRef<LibraryRow> libdeviceLibrary() { return table; }

} // namespace heddle::python
