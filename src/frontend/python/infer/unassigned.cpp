// Variables that are read where no path has given them a value.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/hints.h"

#include <utility>

namespace heddle::python {
namespace {

bool isBefore(const Span &a, const Span &b) {
  return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

/// The type that the program gives the variable first, in a line before its use: numba takes it there, too. Unknown where a
/// `del` took its value away, and where nothing could stand for one.
Type typeGivenBefore(const FunctionTyping &t, const Value &undefined, const Span &use) {
  Type first;
  for (const VariableAssignment &assignment : t.function.assignments) {
    if (assignment.name != undefined.name || !isBefore(assignment.span, use))
      continue;
    if (!assignment.value && !isBefore(assignment.span, undefined.span) &&
        !isBefore(undefined.span, assignment.span))
      return {};
    if (!first && assignment.value && assignment.value != &undefined)
      first = assignment.value->type;
  }
  bool canBeZero = first && !holdsObject(first) && !first.is(TypeKind::Closure);
  return canBeZero && (first.isScalar() || !t.rules().makesArrays) ? first : Type();
}

} // namespace

void visitUnassigned(FunctionTyping &t, const Value &user, size_t operand) {
  Value &undefined = *user.operands[operand];
  if (undefined.function)
    failAfterParallelLoop(t, user.spanOf(operand), undefined);
  undefined.type = typeGivenBefore(t, undefined, user.spanOf(operand));
  if (!undefined.type)
    t.errorAt(user, operand,
              "variable " + variableName(undefined.name) + " is used before it is assigned", "",
              hintForUnassigned(t.source, undefined.name));
}

} // namespace heddle::python
