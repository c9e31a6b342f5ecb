#include "frontend/python/emit/numbers/small_floats.h"

#include <cmath>

namespace heddle::python {
namespace {

constexpr unsigned singleFraction = 23, singleBias = 127;
constexpr uint32_t singleInfinity = 0x7f800000, singleNaN = 0x7fc00000, singleSign = 0x80000000;

/// 2 ** -127, a subnormal number in float32.
constexpr uint32_t leastPower = 0x00400000;

/// The distance between adjacent subnormal numbers.
double subnormalStep(const SmallFloat &format) {
  return std::ldexp(1.0, 1 - format.bias - int(format.fraction));
}

llvm::Value *decodePowerOfTwoFormat(llvm::IRBuilder<> &b, llvm::Value *code,
                                    const SmallFloat &format) {
  llvm::Value *power = b.CreateShl(code, singleFraction);
  power = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(0)), b.getInt32(leastPower), power);
  return b.CreateSelect(b.CreateICmpUGT(code, b.getInt32(format.largest)), b.getInt32(singleNaN),
                        power);
}

/// Encodes the bits of a float32. Halfway between two powers, takes the larger one, except that everything above 2 **
/// -127 becomes 2 ** -126.
llvm::Value *encodePowerOfTwoFormat(llvm::IRBuilder<> &b, llvm::Value *bits,
                                    const SmallFloat &format) {
  llvm::Value *half = b.getInt32(1u << (singleFraction - 1));
  llvm::Value *code = b.CreateLShr(b.CreateAdd(bits, half), singleFraction);
  code = b.CreateSelect(b.CreateICmpULE(bits, b.getInt32(leastPower)), b.getInt32(0), code);
  // As unsigned numbers, the bits of infinities, NaN and negative numbers exceed those of finite positive numbers.
  llvm::Value *isNumber = b.CreateAnd(b.CreateICmpNE(bits, b.getInt32(0)),
                                      b.CreateICmpULT(bits, b.getInt32(singleInfinity)));
  return b.CreateSelect(isNumber, code, b.getInt32(format.nan));
}

llvm::Value *decodeMagnitude(llvm::IRBuilder<> &b, llvm::Value *magnitude,
                             const SmallFloat &format) {
  // The exponents differ by their biases, and the fraction gets trailing zeros.
  llvm::Value *full =
      b.CreateAdd(b.CreateShl(magnitude, singleFraction - format.fraction),
                  b.getInt32(uint32_t(int(singleBias) - format.bias) << singleFraction));
  llvm::Value *few = b.CreateFMul(b.CreateUIToFP(magnitude, b.getFloatTy()),
                                  llvm::ConstantFP::get(b.getFloatTy(), subnormalStep(format)));
  llvm::Value *isFew = b.CreateICmpULT(magnitude, b.getInt32(1u << format.fraction));
  llvm::Value *number = b.CreateSelect(isFew, b.CreateBitCast(few, b.getInt32Ty()), full);
  llvm::Value *other = b.getInt32(singleNaN);
  if (format.hasInfinity())
    other = b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32(format.overflow)),
                           b.getInt32(singleInfinity), other);
  return b.CreateSelect(b.CreateICmpUGT(magnitude, b.getInt32(format.largest)), other, number);
}

/// Encodes the bits of a float32 without its sign.
llvm::Value *encodeMagnitude(llvm::IRBuilder<> &b, llvm::Value *bits, const SmallFloat &format) {
  unsigned lost = singleFraction - format.fraction;
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(bits, lost), b.getInt32(1));
  llvm::Value *nearest = b.CreateAdd(bits, b.CreateAdd(isOdd, b.getInt32((1u << (lost - 1)) - 1)));
  llvm::Value *full =
      b.CreateSub(b.CreateLShr(nearest, lost),
                  b.getInt32(uint32_t(int(singleBias) - format.bias) << format.fraction));
  // Adding a number whose last digit is one step rounds the sum to steps.
  llvm::Constant *large =
      llvm::ConstantFP::get(b.getFloatTy(), std::ldexp(subnormalStep(format), int(singleFraction)));
  llvm::Value *sum = b.CreateFAdd(b.CreateBitCast(bits, b.getFloatTy()), large);
  llvm::Value *few =
      b.CreateSub(b.CreateBitCast(sum, b.getInt32Ty()), b.CreateBitCast(large, b.getInt32Ty()));
  uint32_t leastFull = uint32_t(int(singleBias) + 1 - format.bias) << singleFraction;
  llvm::Value *code = b.CreateSelect(b.CreateICmpULT(bits, b.getInt32(leastFull)), few, full);
  code = b.CreateSelect(b.CreateICmpUGT(code, b.getInt32(format.largest)),
                        b.getInt32(format.overflow), code);
  return b.CreateSelect(b.CreateICmpUGT(bits, b.getInt32(singleInfinity)), b.getInt32(format.nan),
                        code);
}

} // namespace

llvm::Value *decodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *byte, const SmallFloat &format) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Value *code = b.CreateZExt(byte, b.getInt32Ty());
  if (format.hasOnlyPowers())
    return b.CreateBitCast(decodePowerOfTwoFormat(b, code, format), b.getFloatTy());
  llvm::Value *number = decodeMagnitude(b, b.CreateAnd(code, b.getInt32(0x7f)), format);
  llvm::Value *sign = b.CreateShl(b.CreateAnd(code, b.getInt32(0x80)), 24);
  number = b.CreateOr(number, sign);
  if (format.hasOneZero())
    number = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(format.nan)),
                            b.getInt32(singleNaN | singleSign), number);
  return b.CreateBitCast(number, b.getFloatTy());
}

llvm::Value *encodeSmallFloat(llvm::IRBuilder<> &b, llvm::Value *v, const SmallFloat &format) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Value *bits = b.CreateBitCast(v, b.getInt32Ty());
  if (format.hasOnlyPowers())
    return b.CreateTrunc(encodePowerOfTwoFormat(b, bits, format), b.getInt8Ty());
  llvm::Value *code = encodeMagnitude(b, b.CreateAnd(bits, b.getInt32(~singleSign)), format);
  llvm::Value *sign = b.CreateAnd(b.CreateLShr(bits, 24), b.getInt32(0x80));
  if (format.hasOneZero())
    sign = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(0)), b.getInt32(0), sign);
  return b.CreateTrunc(b.CreateOr(code, sign), b.getInt8Ty());
}

} // namespace heddle::python
