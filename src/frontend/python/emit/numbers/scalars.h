// Scalar arithmetic with the semantics of Python and numba.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

llvm::Value *cast(Emitter &e, llvm::Value *v, Type from, Type to);
llvm::Value *emitScalarTruth(Emitter &e, llvm::Value *v, Type type);
/// Emits -a, +a or ~a.
llvm::Value *emitUnaryOperator(Emitter &e, UnaryOp op, llvm::Value *a, Type from, Type result);
llvm::Value *emitBinaryOperator(Emitter &e, BinaryOp op, Value &left, Value &right, Type result,
                                Span span);
llvm::Value *floorDivide(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span);
llvm::Value *modulo(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span);
llvm::Value *compare(Emitter &e, CompareOp op, llvm::Value *a, Type ta, llvm::Value *c, Type tc);
/// Calls a math function on floats of any size. 16-bit floats are computed in float32.
llvm::Value *callMath(Emitter &e, simt::Op op, llvm::ArrayRef<llvm::Value *> operands);

} // namespace heddle::python
