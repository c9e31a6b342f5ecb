// Construction of complex numbers, their parts, and methods of numbers.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/dtypes.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

/// The complex type for a real number. As in numba, only float32 gives complex64.
Type complexTypeForReal(Type t) { return complexType(t == floatType(32) || t.isHalf() ? 64 : 128); }

Type typeComplex(CallTyping &t) {
  Type type = complexType(64);
  for (unsigned i = 0; i < 2; ++i) {
    if (!t.argument(i))
      continue;
    bool alone = i == 0 && !t.argument(1);
    alone ? t.requireNumber(i) : t.requireScalar(i);
    if (complexTypeForReal(t.type(i)) == complexType(128))
      type = complexType(128);
  }
  return t.argument(0) || t.argument(1) ? type : complexType(128);
}
Parts emitComplex(CallEmission &c) {
  Type type = c.call.type, part = complexPartType(type);
  if (c.argument(0) && !c.argument(1))
    return convertToComplex(c.e, *c.argument(0), type);
  auto given = [&](unsigned i) -> llvm::Value * {
    return c.argument(i) ? c.scalar(i, part)
                         : llvm::Constant::getNullValue(memoryType(c.b.getContext(), part));
  };
  return {given(0), given(1)};
}

Type typeConjugate(CallTyping &t) {
  t.requireNumber(0);
  return t.type(0).isBool() ? intType(8) : t.type(0);
}
Parts emitConjugate(CallEmission &c) {
  if (!c.call.type.isComplex())
    return {c.scalar(0, c.call.type)};
  Parts z = c.e.parts(*c.argument(0));
  return {z[0], c.b.CreateFNeg(z[1])};
}

Type typeAngle(CallTyping &t) {
  t.requireNumber(0);
  return float64Type();
}
Parts emitAngle(CallEmission &c) {
  Type type = complexTypeOf(c.argument(0)->type);
  llvm::Value *angle = emitComplexPhase(c.e, convertToComplex(c.e, *c.argument(0), type));
  return {cast(c.e, angle, complexPartType(type), float64Type())};
}

Type typeItem(CallTyping &t) {
  t.requireNumber(0);
  return t.type(0);
}
Parts emitItem(CallEmission &c) { return c.e.parts(*c.argument(0)); }

Type typeView(CallTyping &t) {
  t.requireScalar(0);
  Type from = t.type(0), to = parseDtype(t, 1);
  if (!to.isScalar() || to->bits != from->bits)
    t.failAt(1, "view() takes a number's type of as many bits, not " + to.name(),
             "a " + from.name() + " has " + std::to_string(from->bits) + " bits");
  return to;
}
/// Reinterprets the bits; a bool is a byte.
Parts emitView(CallEmission &c) {
  Type from = c.argument(0)->type, to = c.call.type;
  llvm::Value *v = c.scalar(0, from);
  if (from.isBool())
    v = c.b.CreateZExt(v, c.b.getInt8Ty());
  return {to.isBool() ? c.b.CreateICmpNE(v, c.b.getInt8(0))
                      : c.b.CreateBitCast(v, memoryType(c.b.getContext(), to))};
}

Type typeBitCount(CallTyping &t) {
  t.requireInteger(0);
  return intType(t.type(0)->bits, t.type(0).isSigned());
}
/// Counts bits of the two's complement, unlike Python: -1 has as many set bits as its type.
Parts emitBitCount(CallEmission &c) {
  return {c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, c.scalar(0, c.call.type))};
}

constexpr LibraryRow rows[] = {
    forClass({"builtins.complex", "(real=, imag=)",
              "A complex number from its parts, or from one number: complex64 for float32 "
              "arguments, else complex128.",
              typeComplex, emitComplex},
             [](Type t) { return t == complexType(128); }),
    {"number.conjugate", "(self)", "x.conjugate(): the complex conjugate.", typeConjugate,
     emitConjugate},
    {"number.item", "(self)", "x.item(): x.", typeItem, emitItem},
    {"number.view", "(self, dtype)",
     "x.view(dtype): the same bits as a number of another type of equal size.", typeView, emitView},
    {"int.bit_count", "(self)",
     "x.bit_count(): the number of bits set in the two's complement, in the type of x.",
     typeBitCount, emitBitCount, 0, true},
    asElementwise(
        {"numpy.conjugate", "(x)", "The complex conjugate.", typeConjugate, emitConjugate}),
    asUnlisted(
        {"numpy.angle", "(z)", "The angle from -pi to pi, as float64.", typeAngle, emitAngle}),
};

} // namespace

llvm::ArrayRef<LibraryRow> numberLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
