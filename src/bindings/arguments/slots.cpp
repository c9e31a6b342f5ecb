#include "bindings/arguments/slots.h"

#include "frontend/python/types/characters.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace heddle {

using python::Type;

namespace {

/// The semantics of a 16-bit float.
const llvm::fltSemantics &float16Semantics(Type type) {
  return type->brain ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
}

/// Converts to a 64-bit integer; saturates, and NaN becomes 0, as in kernels.
uint64_t saturateToInt64(double real, bool isSigned) {
  constexpr double top = 9223372036854775808.0; // 2^63
  if (std::isnan(real))
    return 0;
  if (isSigned)
    return uint64_t(real >= top ? INT64_MAX : real < -top ? INT64_MIN : int64_t(real));
  return real <= 0 ? 0 : real >= 2 * top ? UINT64_MAX : uint64_t(real);
}

} // namespace

uint64_t floatToSlot(double v, Type type) {
  type = typeAfterLoad(type);
  if (type->bits == 64)
    return std::bit_cast<uint64_t>(v);
  if (type->bits == 32)
    return std::bit_cast<uint32_t>(float(v));
  llvm::APFloat narrow(v);
  bool inexact = false;
  narrow.convert(float16Semantics(type), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return narrow.bitcastToAPInt().getZExtValue();
}

double slotToFloat(uint64_t bits, Type type) {
  type = typeAfterLoad(type);
  if (type->bits == 64)
    return std::bit_cast<double>(bits);
  if (type->bits == 32)
    return std::bit_cast<float>(uint32_t(bits));
  return llvm::APFloat(float16Semantics(type), llvm::APInt(16, bits & 0xffff)).convertToDouble();
}

uint64_t loadSlot(const void *data, Type type) {
  uint64_t bits = 0;
  switch (size_t bytes =
              type->bytes()) { // constants, so that the compiler inlines the usual copies
  case 4:
    std::memcpy(&bits, data, 4);
    break;
  case 8:
    std::memcpy(&bits, data, 8);
    break;
  default:
    std::memcpy(&bits, data, bytes);
  }
  if (type.isSigned() && type->bits < 64 && (bits >> (type->bits - 1)))
    bits |= ~uint64_t(0) << type->bits;
  return bits;
}

uint64_t convertSlot(uint64_t slot, Type from, Type to) {
  if (to.isBool())
    return from.isFloat() ? slotToFloat(slot, from) != 0 : slot != 0;
  if (to.isFloat()) {
    if (from.isFloat())
      return floatToSlot(slotToFloat(slot, from), to);
    return floatToSlot(from.is(python::TypeKind::UInt) ? double(slot) : double(int64_t(slot)), to);
  }
  uint64_t value = from.isFloat()
                       ? saturateToInt64(slotToFloat(slot, from), to != python::intType(64, false))
                       : slot;
  return loadSlot(&value, to);
}

size_t slotCount(Type type) {
  if (type->object && type->element)
    return slotCount(type->element);
  if (type.isArray())
    return 1 + 2 * type->ndim;
  if (type.isComplex())
    return 2;
  if (python::isCharacters(type))
    return python::wordCount(type);
  if (type.is(python::TypeKind::Optional))
    return 1 + slotCount(type->element);
  if (type == python::runtimeStringType()) // the address, the length and the bytes per code point
    return 3;
  if (type.is(python::TypeKind::None) || type.isString() || type.is(python::TypeKind::Object) ||
      type.is(python::TypeKind::Ellipsis))
    return 0;
  if (!type.isTuple())
    return 1;
  size_t n = 0;
  for (Type element : type->elements)
    n += slotCount(element);
  return n;
}

} // namespace heddle
