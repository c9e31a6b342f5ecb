// Reads of variables that have no value on any path.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/hints.h"

#include <utility>

namespace heddle::python {
namespace {

bool isSpanBefore(const Span &a, const Span &b) {
  return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

/// The type of the first assignment to the variable in a line before its use, which numba uses too. Unknown if a `del`
/// removed its value, or if the type has no default value.
Type typeAssignedBefore(const FunctionTyping &t, const Value &undefined, const Span &use) {
  Type first;
  for (const VariableAssignment &assignment : t.function.assignments) {
    if (assignment.name != undefined.name || !isSpanBefore(assignment.span, use))
      continue;
    if (!assignment.value && !isSpanBefore(assignment.span, undefined.span) &&
        !isSpanBefore(undefined.span, assignment.span))
      return {};
    if (!first && assignment.value && assignment.value != &undefined)
      first = assignment.value->type;
  }
  bool canBeZero = first && !holdsCompileTimeObject(first) && !first.is(TypeKind::Closure);
  return canBeZero && (first.isScalar() || !t.rules().makesArrays) ? first : Type();
}

} // namespace

void typeOrRejectUnassigned(FunctionTyping &t, const Value &user, size_t operand) {
  Value &undefined = *user.operands[operand];
  if (undefined.function)
    failUnsetAfterParallelLoop(t, user.spanOf(operand), undefined);
  // Otherwise the location of the user shows the variable.
  bool isWritten = operand < user.operandSpans.size();
  Span use = isWritten ? user.operandSpans[operand] : user.span;
  undefined.type = typeAssignedBefore(t, undefined, use);
  if (undefined.type)
    return;
  std::string message =
      "variable " + variableName(undefined.name) + " is used before it is assigned";
  std::string hint = hintForUnassigned(t.source, undefined.name);
  isWritten ? t.errorAt(user, operand, message, "", hint) : t.error(user, message, "", hint);
}

} // namespace heddle::python
