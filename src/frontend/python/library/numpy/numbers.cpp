// NumPy's scalar functions that are not ufuncs: np.nan_to_num, np.sinc, and type predicates.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

/// Arrays of integers are returned unchanged.
Type typeNanToNum(CallTyping &t) {
  Type type = t.type(0);
  bool wholeArray = type.isArray() && (type->element.isInteger() || type->element.isBool());
  if (type.isArray() && !wholeArray)
    t.failAt(0,
             "np.nan_to_num of an array of floats makes a new array, which " + t.rules().plural +
                 " do not",
             "replace the elements one by one, as in a[i] = np.nan_to_num(a[i])");
  if (!wholeArray)
    t.requireScalar(0);
  for (unsigned i = 2; i < 5; ++i)
    if (t.argument(i) && !t.type(i).is(TypeKind::None))
      t.requireScalar(i);
  return type;
}
Parts emitNanToNum(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Type type = c.call.type;
  Parts all = c.e.parts(*c.argument(0));
  if (!type.isFloat())
    return all;
  llvm::Value *x = all[0];
  const llvm::fltSemantics &format = x->getType()->getFltSemantics();
  auto given = [&](unsigned i, llvm::Value *otherwise) {
    bool isGiven = c.argument(i) && !c.argument(i)->type.is(TypeKind::None);
    return isGiven ? c.scalar(i, type) : otherwise;
  };
  auto largest = [&](bool negative) {
    return llvm::ConstantFP::get(x->getType(), llvm::APFloat::getLargest(format, negative));
  };
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(x->getType());
  llvm::Value *nan = given(2, llvm::ConstantFP::get(x->getType(), 0));
  llvm::Value *most = given(3, largest(false)), *least = given(4, largest(true));
  llvm::Value *out = b.CreateSelect(b.CreateFCmpUNO(x, x), nan, x);
  out = b.CreateSelect(b.CreateFCmpOEQ(x, infinity), most, out);
  return {b.CreateSelect(b.CreateFCmpOEQ(x, b.CreateFNeg(infinity)), least, out)};
}

Type typeSinc(CallTyping &t) {
  t.requireNumber(0);
  return t.type(0).isComplex() ? complexType(128) : float64Type();
}
/// sin(pi x) / (pi x). Instead of 0, uses a number so small that the quotient is 1.
Parts emitSinc(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  constexpr double pi = 3.14159265358979323846, nearNil = 1e-20;
  Type type = c.call.type;
  Parts z =
      type.isComplex() ? convertToComplex(c.e, *c.argument(0), type) : Parts{c.scalar(0, type)};
  auto number = [&](double v) { return llvm::ConstantFP::get(b.getDoubleTy(), v); };
  llvm::Value *isNil = b.getTrue();
  for (llvm::Value *part : z)
    isNil = b.CreateAnd(isNil, b.CreateFCmpOEQ(part, number(0)));
  z[0] = b.CreateSelect(isNil, number(nearNil), z[0]);
  for (llvm::Value *&part : z)
    part = b.CreateFMul(part, number(pi));
  if (!type.isComplex())
    return {b.CreateFDiv(callMath(c.e, simt::Op::Sin, {z[0]}), z[0])};
  return emitComplexArithmetic(c.e, BinaryOp::TrueDiv,
                               emitComplexFunction(c.e, ComplexFunction::Sin, z, type), z, type,
                               c.call.span);
}

// Predicates that the type answers.

enum Question { IsScalar, IsRealObject, IsComplexObject };
Type typeTypePredicate(CallTyping &t) {
  Type type = t.type(0);
  Type number = type.isArray() ? type->element : type;
  bool answer =
      Question(t.row().data) == IsScalar
          ? type.isScalar() || type.isComplex() || type.is(TypeKind::String) || type.isTime()
          : number.isComplex() == (Question(t.row().data) == IsComplexObject);
  t.call().constant = Constant::ofBool(answer);
  return boolType();
}
Parts emitConstant(CallEmission &c) { return c.e.parts(c.call); }

constexpr LibraryRow rows[] = {
    asUnlisted(
        {"numpy.nan_to_num", "(x, copy=, nan=, posinf=, neginf=)",
         "Replaces NaN by 0 and infinities by the largest finite numbers, or by the given values.",
         typeNanToNum, emitNanToNum}),
    asUnlisted(
        {"numpy.sinc", "(x)", "sin(pi * x) / (pi * x), 1 at 0, in float64.", typeSinc, emitSinc}),
    asUnlisted({"numpy.isscalar", "(element)", "True if the argument is a number or a string.",
                typeTypePredicate, emitConstant, IsScalar}),
    asUnlisted({"numpy.isrealobj", "(x)", "True if the elements are real.", typeTypePredicate,
                emitConstant, IsRealObject}),
    asUnlisted({"numpy.iscomplexobj", "(x)", "True if the elements are complex.", typeTypePredicate,
                emitConstant, IsComplexObject}),
};

} // namespace

llvm::ArrayRef<LibraryRow> numpyNumberLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
