// Operators and comparisons, by the types of their operands.
#pragma once

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/times.h"

namespace heddle::python {

Parts emitBinary(Emitter &e, Value &v);
Parts emitCompare(Emitter &e, Value &v);
/// A value as a condition.
llvm::Value *emitTruth(Emitter &e, Value &v);
/// A time, or a number as one: int64 or float64.
TimeOperand timeOperand(Emitter &e, Value &v);

} // namespace heddle::python
