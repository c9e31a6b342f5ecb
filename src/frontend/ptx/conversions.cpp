// Moves and conversions (PTX ISA 9.0, 9.7.9).
#include "frontend/ptx/floats.h"
#include "frontend/ptx/small_floats.h"
#include "frontend/ptx/step.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

void mov(Step &s) {
  ScalarType type = s.takeType();
  if (type.bits() == 8)
    s.refuse("this instruction does not support this type");
  s.writeResult(s.readInput(1, type), type);
}

/// Applies directed rounding (.rz, .rm, .rp) to a conversion that has rounded to nearest: steps back by one if the
/// result is on the wrong side of `exact`.
Value *correctRounding(Step &s, Value *nearest, Value *exact, StringRef mode) {
  Type *type = nearest->getType();
  Type *bitsType = s.bitsType(type->getPrimitiveSizeInBits());
  Value *back = s.b.CreateFPExt(nearest, exact->getType());
  Value *bits = s.b.CreateBitCast(nearest, bitsType);
  Value *isNegative = s.b.CreateICmpSLT(bits, Constant::getNullValue(bitsType));
  Value *tooLarge = s.b.CreateFCmpOGT(back, exact), *tooSmall = s.b.CreateFCmpOLT(back, exact);
  Value *one = ConstantInt::get(bitsType, 1);
  Value *inward = s.b.CreateSub(bits, one), *outward = s.b.CreateAdd(bits, one);
  Value *result = nullptr;
  if (mode == "rm")
    result = s.b.CreateSelect(tooLarge, s.b.CreateSelect(isNegative, outward, inward), bits);
  else if (mode == "rp")
    result = s.b.CreateSelect(tooSmall, s.b.CreateSelect(isNegative, inward, outward), bits);
  else
    result = s.b.CreateSelect(s.b.CreateSelect(isNegative, tooSmall, tooLarge), inward, bits);
  return s.b.CreateBitCast(result, type);
}

/// Converts an integer to double with directed rounding: the exact values of both halves are added in that mode.
Value *convertToDoubleDirected(Step &s, Value *v, bool isSigned, StringRef mode) {
  Type *real = s.b.getDoubleTy();
  Value *wide = s.b.CreateIntCast(v, s.b.getInt64Ty(), isSigned);
  Value *upper = isSigned ? s.b.CreateAShr(wide, 32) : s.b.CreateLShr(wide, 32);
  Value *high = isSigned ? s.b.CreateSIToFP(upper, real) : s.b.CreateUIToFP(upper, real);
  high = s.b.CreateFMul(high, ConstantFP::get(real, 4294967296.0));
  Value *low = s.b.CreateUIToFP(s.b.CreateTrunc(wide, s.b.getInt32Ty()), real);
  simt::Op op = mode == "rz"   ? simt::Op::AddToZero
                : mode == "rm" ? simt::Op::AddDown
                               : simt::Op::AddUp;
  return s.emitOperation(op, {high, low});
}

Value *narrowFloat(Step &s, Value *v, Type *type, StringRef mode) {
  if (v->getType() == type)
    return v;
  Value *nearest = s.b.CreateFPTrunc(v, type);
  return mode == "rn" ? nearest : correctRounding(s, nearest, v, mode);
}

Value *integerToFloat(Step &s, Value *v, ScalarType from, ScalarType to, StringRef mode) {
  if (mode.empty())
    s.refuse("the rounding mode is missing: .rn, .rz, .rm or .rp");
  Type *type = s.llvmType(to);
  if (mode == "rn")
    return from.isSigned() ? s.b.CreateSIToFP(v, type) : s.b.CreateUIToFP(v, type);
  return narrowFloat(s, convertToDoubleDirected(s, v, from.isSigned(), mode), type, mode);
}

std::optional<Intrinsic::ID> roundingToInteger(StringRef mode) {
  if (mode == "rni")
    return Intrinsic::roundeven;
  if (mode == "rzi")
    return Intrinsic::trunc;
  if (mode == "rmi")
    return Intrinsic::floor;
  if (mode == "rpi")
    return Intrinsic::ceil;
  return std::nullopt;
}

/// Saturates out-of-range values. NaN becomes 0, or 1 << (bits - 1) if one type has 64 bits.
Value *floatToInteger(Step &s, Value *v, ScalarType from, ScalarType to, StringRef mode) {
  std::optional<Intrinsic::ID> rounding = roundingToInteger(mode);
  if (!rounding)
    s.refuse("the rounding mode is missing: .rni, .rzi, .rmi or .rpi");
  Type *type = s.bitsType(to.bits());
  Value *whole = s.b.CreateUnaryIntrinsic(*rounding, v);
  auto id = to.isSigned() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *result = s.b.CreateIntrinsic(id, {type, v->getType()}, {whole});
  if (from.bits() != 64 && to.bits() != 64)
    return result;
  Value *highest = s.makeConstant(to, uint64_t(1) << (to.bits() - 1));
  return s.b.CreateSelect(s.b.CreateFCmpUNO(v, v), highest, result);
}

Value *floatToFloat(Step &s, Value *v, ScalarType from, ScalarType to, StringRef mode) {
  Type *type = s.llvmType(to);
  if (std::optional<Intrinsic::ID> rounding = roundingToInteger(mode))
    v = s.b.CreateUnaryIntrinsic(*rounding, v);
  else if (mode.empty() && to.bits() < from.bits())
    s.refuse("the rounding mode is missing: .rn, .rz, .rm or .rp");
  if (to.bits() > from.bits())
    return s.b.CreateFPExt(v, type);
  if (to.bits() < from.bits())
    return narrowFloat(s, v, type, roundingToInteger(mode) ? "rn" : mode);
  if (to.kind != from.kind)
    return narrowFloat(s, s.b.CreateFPExt(v, s.b.getFloatTy()), type, mode.empty() ? "rn" : mode);
  return v;
}

Value *integerToInteger(Step &s, Value *v, ScalarType from, ScalarType to, bool saturates) {
  // 65 bits hold every value of either type with its sign.
  constexpr unsigned enough = 65;
  Type *type = s.bitsType(to.bits());
  if (!saturates)
    return s.b.CreateIntCast(v, type, from.isSigned());
  Type *wide = s.bitsType(enough);
  APInt least = to.isSigned() ? APInt::getSignedMinValue(to.bits()) : APInt(to.bits(), 0);
  APInt most = to.isSigned() ? APInt::getSignedMaxValue(to.bits()) : APInt::getMaxValue(to.bits());
  auto constant = [&](const APInt &n) {
    return ConstantInt::get(wide, to.isSigned() ? n.sext(enough) : n.zext(enough));
  };
  Value *inside = s.b.CreateIntCast(v, wide, from.isSigned());
  inside = s.b.CreateBinaryIntrinsic(Intrinsic::smax, inside, constant(least));
  inside = s.b.CreateBinaryIntrinsic(Intrinsic::smin, inside, constant(most));
  return s.b.CreateTrunc(inside, type);
}

Value *convertElement(Step &s, Value *v, ScalarType from, ScalarType to, StringRef mode,
                      bool saturates) {
  if (!from.isFloat() && !to.isFloat())
    return integerToInteger(s, v, from, to, saturates);
  Flush flush(s);
  if (from.isFloat())
    v = flush(v);
  if (!to.isFloat())
    return floatToInteger(s, v, from, to, mode);
  Value *result =
      from.isFloat() ? floatToFloat(s, v, from, to, mode) : integerToFloat(s, v, from, to, mode);
  result = flush(result);
  return saturates ? clampToUnit(s, result) : result;
}

/// Saturates two integers and packs them, the first in the upper bits. A third operand provides the bits above them.
void packIntegers(Step &s) {
  StringRef narrow = s.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  unsigned bits = 0;
  if (narrow.empty() || narrow.substr(1).getAsInteger(10, bits) || !s.takeWord("sat") ||
      !s.takeWord("s32"))
    s.refuse("cvt.pack needs .sat, a narrow integer type, and .s32");
  bool isSigned = narrow.starts_with("s"), hasUpper = s.count() == 4;
  if (s.count() < 3 || hasUpper != s.takeWord("b32"))
    s.refuse("cvt.pack takes two values, and with .b32 a third one");
  ScalarType integer{ScalarType::Signed, 32};
  APInt least = isSigned ? APInt::getSignedMinValue(bits).sext(32) : APInt(32, 0);
  APInt most = APInt::getLowBitsSet(32, isSigned ? bits - 1 : bits);
  Value *whole = hasUpper ? s.b.CreateShl(s.readInput(3, integer), 2 * bits) : s.b.getInt32(0);
  for (unsigned n = 1; n <= 2; ++n) {
    Value *v =
        s.b.CreateBinaryIntrinsic(Intrinsic::smax, s.readInput(n, integer), s.b.getInt(least));
    v = s.b.CreateBinaryIntrinsic(Intrinsic::smin, v, s.b.getInt(most));
    v = s.b.CreateAnd(v, (uint64_t(1) << bits) - 1);
    whole = s.b.CreateOr(whole, n == 1 ? s.b.CreateShl(v, bits) : v);
  }
  s.writeResult(whole, integer);
}

void cvt(Step &s) {
  if (s.takeWord("pack"))
    return packIntegers(s);
  if (convertSmallFloats(s))
    return;
  StringRef mode = s.takeOneOf({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  bool saturates = s.takeWord("sat");
  ScalarType to = s.takeType(), from = s.takeType();
  if (from.lanes > 1 || to.kind == ScalarType::Predicate || from.kind == ScalarType::Predicate ||
      to.kind == ScalarType::Bits || from.kind == ScalarType::Bits)
    s.refuse("this conversion is not supported");
  if (to.lanes == 1) {
    if (s.count() != 2)
      s.refuse("this conversion takes one value");
    return s.writeLowBits(convertElement(s, s.readLowBits(1, from), from, to, mode, saturates), to);
  }
  // Packs two floats as 16-bit numbers, the first in the upper half.
  if (s.count() != 3 || !from.isFloat())
    s.refuse("this conversion takes two floats");
  ScalarType lane{to.kind, to.laneBits};
  Flush flush(s);
  bool clips = s.takeWord("relu");
  Value *whole = s.makeConstant(to, 0);
  for (unsigned n = 1; n <= 2; ++n) {
    Value *v = floatToFloat(s, flush(s.readInput(n, from)), from, lane, mode);
    if (clips)
      v = s.b.CreateBinaryIntrinsic(Intrinsic::maximum, v, Constant::getNullValue(v->getType()));
    Value *bits = s.b.CreateZExt(s.b.CreateBitCast(v, s.bitsType(to.laneBits)), whole->getType());
    whole = s.b.CreateOr(whole, n == 1 ? s.b.CreateShl(bits, to.laneBits) : bits);
  }
  s.writeResult(whole, to);
}

} // namespace

ArrayRef<Row> conversionInstructions() {
  static const Row rows[] = {{"mov", 2, 2, mov}, {"cvt", 2, 4, cvt}};
  return rows;
}

} // namespace heddle::ptx
