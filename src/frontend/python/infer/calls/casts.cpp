// Types of casts: calls of a type.

#include "frontend/python/infer/visits.h"
#include "frontend/python/types/fold.h"
#include "frontend/python/types/times.h"

namespace heddle::python {
namespace {

/// Types np.datetime64(x, unit) or np.timedelta64(x, unit); `to` is the type without a unit.
bool visitTimeCast(FunctionTyping &t, Value &v, Type to) {
  const char *name = to.is(TypeKind::DateTime) ? "np.datetime64" : "np.timedelta64";
  size_t given = v.operands.size() - 1;
  if (given < 1 || given > 2 || !v.names.empty())
    t.error(v, std::string(name) + "() takes a value and a unit, " + std::to_string(given) +
                   (given == 1 ? " argument was given" : " arguments were given"));
  Value &from = *v.operands[1];
  TimeUnit unit = from.type.isTime() ? from.type->unit : to->unit;
  if (given == 2) {
    const Value &text = *v.operands[2];
    auto found = text.constant && text.type.isString() && !text.constant->text.empty()
                     ? timeUnitNamed(text.constant->text)
                     : std::nullopt;
    if (!found)
      t.errorAt(v, 2,
                "the unit of a time is a constant string: 'Y', 'M', 'W', 'D', 'h', 'm', 's', "
                "'ms', 'us', 'ns', 'ps', 'fs' or 'as'");
    unit = *found;
  }
  Type type = timeType(to.kind(), unit);
  if (from.type.isString() && from.constant && from.constant->text == "NaT")
    return setType(v, type);
  bool count = from.type.isInteger() && (to.is(TypeKind::TimeDelta) || unit != TimeUnit::Generic);
  if (!count && !isTimeStorable(from.type, type))
    t.errorAt(v, 1,
              std::string(name) + "() of " + describeType(from) + " is not possible in a " +
                  t.rules().noun,
              from.type.name(),
              from.type.isString()
                  ? "make it outside the " + t.rules().noun + ", and pass it or name it as a global"
                  : "it takes an integer and a unit");
  return setType(v, type);
}

/// Replaces np.int32([1.5, 2]) by np.array([1.5, 2], np.int32).
bool visitArrayCast(FunctionTyping &t, Value &v) {
  Value *function = t.insertConstant(v, v.span, *t.findLibraryFunction("numpy.array"));
  Value *dtype = v.operands[0];
  v.operands = {function, v.operands[1], dtype};
  v.operandSpans.clear();
  return t.visit(v);
}

} // namespace

bool visitCast(FunctionTyping &t, Value &v, Type to) {
  if (to.isTime())
    return visitTimeCast(t, v, to);
  if (!to.canBeArrayElement())
    t.error(v, "no value can be converted to " + to.name());
  if (v.operands.size() != 2 || !v.names.empty())
    t.error(v, to.name() + "() takes one argument, " + std::to_string(v.operands.size() - 1) +
                   " were given");
  t.unwrapOperand(v, 1);
  if (Type from = v.operands[1]->type; t.rules().makesArrays && from.isArray() && from->ndim == 0)
    v.operands[1] = &insertZeroDimRead(t, v, 1);
  if (Type from = v.operands[1]->type;
      t.rules().makesArrays && (from.isList() || from.isTuple() || from.isArray()))
    return visitArrayCast(t, v);
  if (to.isBool() && v.operands[1]->type.isComplex()) {
    v.opcode = Opcode::Truth;
    v.operands.erase(v.operands.begin());
    v.operandSpans.clear();
    return t.visit(v);
  }
  if (!isConvertible(v.operands[1]->type, to))
    t.errorAt(v, 1, "cannot convert " + describeType(*v.operands[1]) + " to " + to.name(),
              v.operands[1]->type.name(),
              v.operands[1]->type.isComplex()
                  ? "take its real part, x.real, or its magnitude, abs(x)"
                  : "");
  if (v.operands[1]->constant)
    v.constant = foldCast(*v.operands[1]->constant, to);
  return setType(v, typeAfterLoad(to));
}

} // namespace heddle::python
