// Scalar arithmetic with the semantics of Python and numba.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Converts a scalar of type `from` to the scalar type `to`. Floats that are out of range for an integer convert as on
/// the target (TargetRules::saturates).
llvm::Value *cast(Emitter &e, llvm::Value *v, Type from, Type to);
/// Emits the truth value of a scalar, an i1.
llvm::Value *emitScalarTruth(Emitter &e, llvm::Value *v, Type type);
/// Emits -a, +a or ~a.
llvm::Value *emitUnaryOperator(Emitter &e, UnaryOp op, llvm::Value *a, Type from, Type result);
/// Emits `left op right` for two scalars, with result type `result`.
llvm::Value *emitBinaryOperator(Emitter &e, BinaryOp op, Value &left, Value &right, Type result,
                                Span span);
/// Emit a // c and a % c for two numbers of type `type`. They raise ZeroDivisionError if Checks::divisors is set.
llvm::Value *emitFloorDivide(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span);
llvm::Value *emitModulo(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span);
/// Emits `a op c`, an i1, for scalars or times of types `ta` and `tc`. Integers of different signs compare by value.
llvm::Value *compare(Emitter &e, CompareOp op, llvm::Value *a, Type ta, llvm::Value *c, Type tc);
/// Calls a math function on floats of any size. 16-bit floats are computed in float32.
llvm::Value *callMath(Emitter &e, simt::Op op, llvm::ArrayRef<llvm::Value *> operands);

} // namespace heddle::python
