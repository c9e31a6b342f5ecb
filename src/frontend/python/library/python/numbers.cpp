// Complex numbers, made and taken apart, and the methods of numbers.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

/// The complex type whose parts hold a real number; as in numba, float32 alone makes a complex64.
Type complexOfReal(Type t) { return complexType(t == floatType(32) || t.isHalf() ? 64 : 128); }

Type typeComplex(CallTyping &t) {
  Type type = complexType(64);
  for (unsigned i = 0; i < 2; ++i) {
    if (!t.argument(i))
      continue;
    bool alone = i == 0 && !t.argument(1);
    alone ? t.needNumber(i) : t.needScalar(i);
    if (complexOfReal(t.type(i)) == complexType(128))
      type = complexType(128);
  }
  return t.argument(0) || t.argument(1) ? type : complexType(128);
}
Parts emitComplex(CallEmission &c) {
  Type type = c.call.type, part = partOf(type);
  if (c.argument(0) && !c.argument(1))
    return complexValue(c.e, *c.argument(0), type);
  auto given = [&](unsigned i) -> llvm::Value * {
    return c.argument(i) ? c.scalar(i, part)
                         : llvm::Constant::getNullValue(memoryType(c.b.getContext(), part));
  };
  return {given(0), given(1)};
}

Type typeConjugate(CallTyping &t) {
  t.needNumber(0);
  return t.type(0).isBool() ? intType(8) : t.type(0);
}
Parts emitConjugate(CallEmission &c) {
  if (!c.call.type.isComplex())
    return {c.scalar(0, c.call.type)};
  Parts z = c.e.parts(*c.argument(0));
  return {z[0], c.b.CreateFNeg(z[1])};
}

Type typePart(CallTyping &t) {
  t.needNumber(0);
  return t.type(0).isComplex() ? partOf(t.type(0)) : t.type(0);
}
enum Part { RealPart, ImaginaryPart };
Parts emitPart(CallEmission &c) {
  return numberMember(c.e, *c.argument(0), c.row.data == RealPart ? "real" : "imag");
}

Type typeAngle(CallTyping &t) {
  t.needNumber(0);
  return partOf(complexTypeOf(t.type(0)));
}
Parts emitAngle(CallEmission &c) {
  Parts z = complexValue(c.e, *c.argument(0), complexTypeOf(c.argument(0)->type));
  return {complexAngle(c.e, z)};
}

Type typeBitCount(CallTyping &t) {
  t.needInteger(0);
  return int64Type();
}
/// Of the absolute value, as in Python: (-1).bit_count() is 1.
Parts emitBitCount(CallEmission &c) {
  Type from = c.argument(0)->type;
  llvm::Value *v = c.scalar(0, from);
  if (from.isSigned())
    v = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, c.b.getFalse());
  llvm::Value *count = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, v);
  return {c.b.CreateZExtOrTrunc(count, c.b.getInt64Ty())};
}

constexpr LibraryRow rows[] = {
    classOf({"builtins.complex", "(real=, imag=)",
             "A complex number of two real parts, or of one number: complex128, of float32 alone "
             "complex64.",
             typeComplex, emitComplex},
            [](Type t) { return t == complexType(128); }),
    {"number.conjugate", "(self)", "x.conjugate(): the imaginary part negated.", typeConjugate,
     emitConjugate},
    {"int.bit_count", "(self)", "x.bit_count(): the bits that are set in the absolute value.",
     typeBitCount, emitBitCount, 0, true},
    elementwise(
        {"numpy.conjugate", "(x)", "The imaginary part negated.", typeConjugate, emitConjugate}),
    unlisted({"numpy.real", "(val)", "The real part.", typePart, emitPart, RealPart}),
    unlisted({"numpy.imag", "(val)", "The imaginary part.", typePart, emitPart, ImaginaryPart}),
    unlisted({"numpy.angle", "(z)", "The angle from -pi to pi, in the type of the parts.",
              typeAngle, emitAngle}),
};

} // namespace

llvm::ArrayRef<LibraryRow> numberLibrary() {
  static constexpr auto table = eachOf(rows, everywhere);
  return table;
}

} // namespace heddle::python
