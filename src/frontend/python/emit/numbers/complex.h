// Complex numbers: values with two parts, real and imaginary.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The float type of each part of a complex type.
inline Type complexPartType(Type complex) { return floatType(complex->bits / 2); }

/// Converts a scalar or complex value to the complex type `to`.
Parts convertToComplex(Emitter &e, Value &v, Type to);

/// Converts a scalar or complex number of type `from` to the complex type `to`.
Parts toComplex(Emitter &e, const Parts &parts, Type from, Type to);

/// The address of the imaginary part of the complex number at `address`.
llvm::Value *imaginaryAddress(llvm::IRBuilder<> &b, llvm::Value *address, Type complex);

/// `number.real` or `number.imag`.
Parts emitRealOrImag(Emitter &e, Value &number, const std::string &name);

/// `left op right` with the complex result type `type`.
Parts emitComplexBinaryOperator(Emitter &e, BinaryOp op, Value &left, Value &right, Type type,
                                Span span);

/// `a op c` for two numbers of the complex type `type`: + - * / **. Division by zero follows NumPy, and raises in debug
/// mode.
Parts emitComplexArithmetic(Emitter &e, BinaryOp op, const Parts &a, const Parts &c, Type type,
                            Span span);

/// +a, -a.
Parts emitComplexUnaryOperator(Emitter &e, UnaryOp op, const Parts &a);

/// a == c for two numbers, one or both complex.
llvm::Value *emitEqualNumbers(Emitter &e, const Parts &a, Type ta, const Parts &c, Type tc);

/// Compares complex numbers in NumPy's order, by real part and then by imaginary part: < <= > >=.
llvm::Value *compareComplex(Emitter &e, CompareOp op, const Parts &a, const Parts &c);

/// True if `z` is not zero.
llvm::Value *emitComplexTruth(Emitter &e, const Parts &z);

/// A complex number is NaN or infinite if either part is, and finite if both are.
enum class NumberTest { IsNan, IsInf, IsFinite };
llvm::Value *emitComplexNumberTest(Emitter &e, NumberTest test, const Parts &z);

/// Complex-valued functions of a complex number. Branch cuts, infinities and signed zeros follow C17's Annex G, like
/// cmath of Python 3.14. Where cmath raises an exception, the result is that of C.
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
Parts emitComplexFunction(Emitter &e, ComplexFunction function, const Parts &z, Type type);

/// The absolute value, and the phase from -pi to pi.
llvm::Value *emitComplexAbs(Emitter &e, const Parts &z);
llvm::Value *emitComplexPhase(Emitter &e, const Parts &z);

} // namespace heddle::python
