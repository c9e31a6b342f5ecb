// Complex numbers: a value of two parts, the real and the imaginary one.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The float type of each part of a complex type.
inline Type partOf(Type complex) { return floatType(complex->bits / 2); }

/// A scalar or complex value as a complex number of type `to`.
Parts complexValue(Emitter &e, Value &v, Type to);

/// The parts of a scalar or complex number of type `from` as those of the complex type `to`.
Parts toComplex(Emitter &e, const Parts &parts, Type from, Type to);

/// Where the imaginary part of the complex number at `address` lies.
llvm::Value *imaginaryAt(llvm::IRBuilder<> &b, llvm::Value *address, Type complex);

/// `real` or `imag` of a number.
Parts numberMember(Emitter &e, Value &number, const std::string &name);

/// `left op right` of type `type`, which is complex.
Parts complexOperation(Emitter &e, BinaryOp op, Value &left, Value &right, Type type, Span span);

/// `a op c` for two numbers of the complex type `type`: + - * / **. Division by zero gives what NumPy gives, and is an
/// error in debug mode.
Parts complexBinary(Emitter &e, BinaryOp op, const Parts &a, const Parts &c, Type type, Span span);

/// +a, -a.
Parts complexUnary(Emitter &e, UnaryOp op, const Parts &a);

/// a == c for two numbers of which either may be complex.
llvm::Value *equalNumbers(Emitter &e, const Parts &a, Type ta, const Parts &c, Type tc);

/// NumPy's order of complex numbers, by the real parts and then by the imaginary ones: < <= > >=.
llvm::Value *complexOrder(Emitter &e, CompareOp op, const Parts &a, const Parts &c);

/// Whether it is not zero.
llvm::Value *complexTruth(Emitter &e, const Parts &z);

/// NaN: either part is; infinite: either part is; finite: both are.
enum class NumberTest { IsNan, IsInf, IsFinite };
llvm::Value *complexTest(Emitter &e, NumberTest test, const Parts &z);

/// The functions of a complex number that are complex numbers. Branch cuts, infinities and the signs of zeros are those
/// of C's Annex G, as in Python's cmath; where that raises an exception, the result is C's.
enum class ComplexFunction {
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sqrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
};
Parts complexFunction(Emitter &e, ComplexFunction function, const Parts &z, Type type);

/// The absolute value, and the angle from -pi to pi.
llvm::Value *complexSize(Emitter &e, const Parts &z);
llvm::Value *complexAngle(Emitter &e, const Parts &z);

} // namespace heddle::python
