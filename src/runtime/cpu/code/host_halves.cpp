#include "runtime/cpu/code/host_halves.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::cpu {

namespace {

constexpr uint32_t signBit = 0x80000000, infinityBits = 0x7f800000;

uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }
float halfBitsAsFloat(uint32_t half) { return std::bit_cast<float>(half); }

/// Rounds to odd: an inexact result gets an odd significand, so that a second rounding to fewer bits is correct.
float roundToOdd(double x) {
  auto narrow = static_cast<float>(x);
  if (std::isnan(x) || narrow == x)
    return narrow;
  uint32_t bits = bitsOf(narrow);
  if (std::fabs(static_cast<double>(narrow)) > std::fabs(x))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

/// Drops the lowest `dropped` bits of `x`, rounding to nearest, ties to even. A carry propagates into the exponent.
uint32_t shiftAndRound(uint32_t x, unsigned dropped) {
  uint32_t odd = (x >> dropped) & 1;
  return (x + (uint32_t(1) << (dropped - 1)) - 1 + odd) >> dropped;
}

} // namespace

float halfToFloat(float half) {
  uint32_t bits = bitsOf(half) & 0xffff;
  uint32_t sign = (bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 0) // subnormal: a multiple of 2^-24
    return std::bit_cast<float>(sign | bitsOf(static_cast<float>(fraction) * 0x1p-24f));
  uint32_t wide = exponent == 31 ? infinityBits : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | wide | fraction << 13);
}

float floatToHalf(float x) {
  uint32_t bits = bitsOf(x), size = bits & ~signBit, sign = (bits & signBit) >> 16;
  if (size > infinityBits)
    return halfBitsAsFloat(sign | 0x7e00 | ((size >> 13) & 0x3ff));
  constexpr uint32_t overflow = 0x47800000, normal = 0x38800000; // 2^16, 2^-14
  if (size >= overflow)
    return halfBitsAsFloat(sign | 0x7c00);
  if (size >= normal)
    return halfBitsAsFloat(sign | shiftAndRound(size - 0x38000000, 13));
  return halfBitsAsFloat(
      sign | static_cast<uint32_t>(std::nearbyint(std::bit_cast<float>(size) * 0x1p24f)));
}

float doubleToHalf(double x) { return floatToHalf(roundToOdd(x)); }

float floatToBfloat(float x) {
  uint32_t bits = bitsOf(x);
  if (std::isnan(x))
    return halfBitsAsFloat((bits >> 16) | 0x40);
  return halfBitsAsFloat(shiftAndRound(bits, 16));
}

float doubleToBfloat(double x) { return floatToBfloat(roundToOdd(x)); }

} // namespace heddle::cpu
