// Emits operators and comparisons according to their operand types.
#pragma once

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/times.h"

namespace heddle::python {

Parts emitBinary(Emitter &e, Value &v);
Parts emitCompare(Emitter &e, Value &v);
/// Converts a value to a condition, an i1.
llvm::Value *emitTruth(Emitter &e, Value &v);
/// A time, or a number converted to int64 or float64.
TimeOperand toTimeOperand(Emitter &e, Value &v);

} // namespace heddle::python
