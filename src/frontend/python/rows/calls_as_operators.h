// Calls that become an operator while they are typed, as if the source had that: operator.add(a, b), bool(x).
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// The `data` of a row whose calls become this.
constexpr unsigned operatorCode(Opcode opcode, unsigned op = 0) {
  return unsigned(opcode) << 8 | op;
}

/// The `type` of such a row: makes the call the instruction of its row; inference then looks at that.
Type typeOperator(CallTyping &t);
/// Its `emit`: no call is left.
Parts emitNothing(CallEmission &c);

/// Makes the call `opcode` of these operands.
void becomeOperator(CallTyping &t, Opcode opcode, unsigned op, std::vector<Value *> operands,
                    std::vector<Span> spans);

} // namespace heddle::python
