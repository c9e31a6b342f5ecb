#include "bindings/dispatch/declared_types.h"

#include "frontend/python/types/promotion.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle {

using python::Type;

namespace {

/// True if elements of one type may be read as the other: integers of the same size, records with the same fields.
bool haveSameBits(Type a, Type b) {
  if (a.isRecord() && b.isRecord())
    return python::haveSameFields(a, b) && std::max(a->recordAlignment, b->recordAlignment) <= 8;
  return a.isInteger() && b.isInteger() && a->bits == b->bits;
}

} // namespace

bool isAcceptedForDeclaredType(Type from, Type to, bool isOnly) {
  if (isOnly && from.isArray() && to.isArray() && haveSameBits(from->element, to->element))
    from = python::arrayType(to->element, from->ndim, traitsOfArray(from));
  // As in numba, records may have more fields than declared.
  if (from.isRecord() && to.isRecord() && python::startsWithFieldsOf(from, to))
    return from->recordAlignment % to->recordAlignment == 0 && (to->readOnly || !from->readOnly);
  if (to.isPointer()) // Python passes addresses as ints
    return from.isInteger() && from->bits == 64;
  return from.isTime() ? from == to : python::isConvertible(from, to);
}

namespace {

enum class Conversion { None, Promoted, Safe, Unsafe };

Conversion classifyIntegerToFloatConversion(Type from, unsigned bits) {
  // Counts unsigned types as the next larger signed type.
  unsigned digits = from.isSigned() ? from->bits - 1 : 2 * from->bits - 1;
  unsigned exact = bits == 16 ? 11 : bits == 32 ? 24 : 53;
  return bits == 64 || digits <= exact ? Conversion::Safe : Conversion::Unsafe;
}

Conversion classifyNumberConversion(Type from, Type to) {
  if (from == to)
    return Conversion::None;
  if (from.isBool())
    return Conversion::Safe;
  if (to.isComplex()) {
    unsigned bits = to->bits / 2;
    if (from.isComplex())
      return to->bits > from->bits ? Conversion::Promoted : Conversion::Unsafe;
    if (from.isFloat())
      return bits >= from->bits ? Conversion::Safe : Conversion::Unsafe;
    return classifyIntegerToFloatConversion(from, bits);
  }
  if (to.isFloat() && !from.isFloat())
    return classifyIntegerToFloatConversion(from, to->bits);
  if (to->bits <= from->bits || to.isBool() || from.isFloat() != to.isFloat())
    return Conversion::Unsafe;
  if (from.isFloat() || from.isSigned() == to.isSigned())
    return Conversion::Promoted;
  return from.isSigned() ? Conversion::Unsafe : Conversion::Safe;
}

Conversion classifyConversion(Type from, Type to) {
  bool areNumbers = (from.isScalar() || from.isComplex()) && (to.isScalar() || to.isComplex());
  if (areNumbers)
    return classifyNumberConversion(from, to);
  if (to.is(python::TypeKind::Optional)) {
    bool isNone = from.is(python::TypeKind::None) || from == to;
    return isNone ? Conversion::Promoted
                  : std::max(Conversion::Promoted, classifyConversion(from, to->element));
  }
  if (from == to || !from.isTuple() || !to.isTuple())
    return from == to ? Conversion::None : Conversion::Safe;
  Conversion most = Conversion::None;
  for (size_t i = 0; i < to->elements.size(); ++i)
    most = std::max(most, classifyConversion(from->elements[i], to->elements[i]));
  return most;
}

} // namespace

Conversions countConversions(llvm::ArrayRef<python::KernelArgument> given,
                             llvm::ArrayRef<python::KernelArgument> declared) {
  Conversions all;
  for (size_t i = 0; i < declared.size(); ++i) {
    Type from = given[i].type, to = declared[i].type;
    Conversion own = classifyConversion(from, to);
    all.unsafe += own == Conversion::Unsafe;
    all.safe += own == Conversion::Safe;
    all.promoted += own == Conversion::Promoted;
    all.fractions += from.isFloat() && to.isInteger();
  }
  return all;
}

std::string formatTypes(const std::vector<Type> &types) {
  std::string out = "(";
  for (size_t i = 0; i < types.size(); ++i)
    out += (i ? ", " : "") + types[i].name();
  return out + ")";
}

} // namespace heddle
