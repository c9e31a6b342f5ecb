#include "frontend/ptx/small_floats.h"

#include <cmath>

namespace heddle::ptx {

using namespace llvm;

namespace {

constexpr ScalarType single{ScalarType::Float, 32}, twoHalves{ScalarType::Float, 16, 2},
    shortWord{ScalarType::Bits, 16};

/// An 8-bit float format.
struct SmallFormat {
  unsigned mantissaBits, bias;
  double largest;
};
constexpr SmallFormat e4m3{3, 7, 448}, e5m2{2, 15, 57344};

/// Adds to the bits of a nonnegative float what makes the truncation to its upper bits round to nearest even.
Value *addForNearestEven(Step &s, Value *bits, unsigned droppedBits) {
  Value *isOdd = s.b.CreateAnd(s.b.CreateLShr(bits, droppedBits), 1);
  return s.b.CreateAdd(bits, s.b.CreateAdd(isOdd, s.b.getInt32((1u << (droppedBits - 1)) - 1)));
}

/// Rounds the bits of a float to its upper bits, ties away from zero. The largest NaNs stay NaNs, as on a GPU.
Value *roundAwayFromZero(Step &s, Value *bits, unsigned droppedBits) {
  uint32_t half = 1u << (droppedBits - 1);
  Value *overflows =
      s.b.CreateICmpUGT(s.b.CreateAnd(bits, INT32_MAX), s.b.getInt32(uint32_t(INT32_MAX) - half));
  Value *sum = s.b.CreateSelect(overflows, bits, s.b.CreateAdd(bits, s.b.getInt32(half)));
  return s.b.CreateAnd(sum, ~((1u << droppedBits) - 1));
}

void convertToTf32(Step &s) {
  constexpr unsigned droppedBits = 13;
  StringRef mode = s.takeOneOf({"rna", "rn", "rz"});
  bool clips = mode != "rna" && s.takeWord("relu");
  if (mode.empty() || s.takeType().bits() != 32)
    s.refuse("a conversion to tf32 needs .rna, .rn or .rz, and takes .f32");
  Value *x = s.readInput(1, single), *bits = s.b.CreateBitCast(x, s.bitsType(32));
  if (mode == "rna") // ties away from zero; NaNs keep their upper bits
    return s.writeResult(roundAwayFromZero(s, bits, droppedBits), {ScalarType::Bits, 32});
  Value *rounded = mode == "rn" ? addForNearestEven(s, bits, droppedBits) : bits;
  rounded = s.b.CreateAnd(rounded, ~((1u << droppedBits) - 1));
  if (clips)
    rounded = s.b.CreateSelect(s.b.CreateICmpSLT(bits, s.b.getInt32(0)), s.b.getInt32(0), rounded);
  constexpr uint32_t canonicalNan = 0x7fffe000;
  s.writeResult(s.b.CreateSelect(s.b.CreateFCmpUNO(x, x), s.b.getInt32(canonicalNan), rounded),
                {ScalarType::Bits, 32});
}

/// Rounds a float to the nearest value of the format, at most its largest one, and returns the 8 bits in an i32.
Value *encode(Step &s, Value *x, const SmallFormat &format, bool clips) {
  Type *real = s.b.getFloatTy();
  Value *size = s.b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  size =
      s.b.CreateBinaryIntrinsic(Intrinsic::minimumnum, size, ConstantFP::get(real, format.largest));
  unsigned droppedBits = 23 - format.mantissaBits;
  Value *bits = s.b.CreateBitCast(size, s.bitsType(32));
  Value *normal =
      s.b.CreateSub(s.b.CreateLShr(addForNearestEven(s, bits, droppedBits), droppedBits),
                    s.b.getInt32((127 - format.bias) << format.mantissaBits));
  // The lowest mantissa bit of this number is worth as much as that of the format's subnormal numbers.
  int leastExponent = 1 - int(format.bias);
  auto *aligned =
      cast<ConstantFP>(ConstantFP::get(real, std::ldexp(1.0, leastExponent + int(droppedBits))));
  Value *subnormal =
      s.b.CreateSub(s.b.CreateBitCast(s.b.CreateFAdd(size, aligned), s.bitsType(32)),
                    s.b.getInt32(uint32_t(aligned->getValueAPF().bitcastToAPInt().getZExtValue())));
  Value *isSmall = s.b.CreateFCmpOLT(size, ConstantFP::get(real, std::ldexp(1.0, leastExponent)));
  Value *all = s.b.CreateBitCast(x, s.bitsType(32));
  Value *sign = s.b.CreateAnd(s.b.CreateLShr(all, 24), 0x80);
  Value *result = s.b.CreateOr(s.b.CreateSelect(isSmall, subnormal, normal), sign);
  if (clips)
    result = s.b.CreateSelect(s.b.CreateICmpSLT(all, s.b.getInt32(0)), s.b.getInt32(0), result);
  return s.b.CreateSelect(s.b.CreateFCmpUNO(x, x), s.b.getInt32(0x7f), result);
}

/// The half with the value of the low 8 bits of `bits`.
Value *decode(Step &s, Value *bits, const SmallFormat &format, bool clips) {
  Value *magnitude = s.b.CreateAnd(bits, 0x7f), *sign = s.b.CreateAnd(bits, 0x80);
  Value *shifted =
      s.b.CreateOr(s.b.CreateShl(magnitude, 10 - format.mantissaBits), s.b.CreateShl(sign, 8));
  Value *v = s.b.CreateFPExt(s.b.CreateBitCast(shifted, s.b.getHalfTy()), s.b.getFloatTy());
  v = s.b.CreateFMul(v, ConstantFP::get(v->getType(), std::ldexp(1.0, 15 - int(format.bias))));
  Value *result = s.b.CreateBitCast(s.b.CreateFPTrunc(v, s.b.getHalfTy()), s.bitsType(16));
  if (clips)
    result = s.b.CreateSelect(s.b.CreateICmpNE(sign, s.b.getInt16(0)), s.b.getInt16(0), result);
  uint64_t largestNumber = format.bias == e4m3.bias ? 0x7e : 0x7c; // infinity in e5m2
  Value *isNan = s.b.CreateICmpUGT(magnitude, s.b.getInt16(largestNumber));
  return s.b.CreateBitCast(s.b.CreateSelect(isNan, s.b.getInt16(0x7fff), result), s.b.getHalfTy());
}

void encodePair(Step &s, const SmallFormat &format) {
  bool clips = s.takeWord("relu");
  ScalarType from = s.takeType();
  bool isSingle = from.isFloat() && from.bits() == 32 && from.lanes == 1;
  if (!s.takeWord("rn") || s.count() != (isSingle ? 3 : 2) || (!isSingle && from.lanes != 2))
    s.refuse("this conversion needs .rn, and takes two floats or two halves");
  Value *high = nullptr, *low = nullptr;
  if (isSingle) {
    high = s.readInput(1, from);
    low = s.readInput(2, from);
  } else {
    Value *pair = s.readInput(1, from);
    auto extend = [&](Value *bits) {
      Value *lane = s.b.CreateTrunc(bits, s.bitsType(16));
      return s.b.CreateFPExt(s.b.CreateBitCast(lane, s.llvmType({from.kind, 16})),
                             s.b.getFloatTy());
    };
    high = extend(s.b.CreateLShr(pair, 16));
    low = extend(pair);
  }
  Value *both =
      s.b.CreateOr(s.b.CreateShl(encode(s, high, format, clips), 8), encode(s, low, format, clips));
  s.writeResult(s.b.CreateTrunc(both, s.bitsType(16)), shortWord);
}

void decodePair(Step &s, const SmallFormat &format) {
  bool clips = s.takeWord("relu");
  if (!s.takeWord("rn") || !s.takeWord("f16x2") || s.count() != 2)
    s.refuse("this conversion needs .rn, and makes .f16x2");
  Value *pair = s.readInput(1, shortWord);
  auto lane = [&](Value *bits) {
    Value *half = s.b.CreateBitCast(decode(s, bits, format, clips), s.bitsType(16));
    return s.b.CreateZExt(half, s.bitsType(32));
  };
  s.writeResult(s.b.CreateOr(s.b.CreateShl(lane(s.b.CreateLShr(pair, 8)), 16), lane(pair)),
                twoHalves);
}

} // namespace

bool convertSmallFloats(Step &s) {
  if (s.takeWord("tf32")) {
    convertToTf32(s);
    return true;
  }
  StringRef name = s.takeOneOf({"e4m3x2", "e5m2x2"});
  if (name.empty())
    return false;
  const SmallFormat &format = name == "e4m3x2" ? e4m3 : e5m2;
  s.takeWord("satfinite") ? encodePair(s, format) : decodePair(s, format);
  return true;
}

} // namespace heddle::ptx
