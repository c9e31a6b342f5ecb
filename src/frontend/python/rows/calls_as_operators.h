// Library calls that type inference replaces with an operator: operator.add(a, b), bool(x).
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// The `data` of a row whose calls become `opcode`.
constexpr unsigned operatorCode(Opcode opcode, unsigned op = 0) {
  return unsigned(opcode) << 8 | op;
}

/// The `type` function of these rows: rewrites the call as the row's opcode. Inference then visits the result.
Type typeByReplacingWithOperator(CallTyping &t);
/// The `emit` function of the rows whose calls are operators. Emits nothing, because inference has rewritten all these
/// calls.
Parts emitNoValue(CallEmission &c);

/// Rewrites the call as `opcode` with these operands.
void replaceWithOperator(CallTyping &t, Opcode opcode, unsigned op, std::vector<Value *> operands,
                         std::vector<Span> spans);

} // namespace heddle::python
