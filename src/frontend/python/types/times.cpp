#include "frontend/python/types/times.h"

#include <algorithm>

namespace heddle::python {
namespace {

TimeUnit finerUnit(TimeUnit a, TimeUnit b) {
  if (a == TimeUnit::Generic || b == TimeUnit::Generic)
    return a == TimeUnit::Generic ? b : a;
  return std::max(a, b);
}

/// True if a duration or date counted in `from` converts exactly to the finer unit `to`.
bool convertsExactly(Type time, TimeUnit to) {
  TimeUnit from = time->unit;
  if (from == to || from == TimeUnit::Generic)
    return true;
  if (isCalendar(from) && !isCalendar(to)) // the month of a date has a known number of days
    return time.is(TypeKind::DateTime) && (to == TimeUnit::Week || unitsPerUnit(TimeUnit::Day, to));
  return unitsPerUnit(from, to).has_value();
}

bool isNumber(Type t) { return t.isScalar(); }

/// The result type of dates and durations after conversion to a common unit.
Type commonUnitType(TypeKind kind, Type a, Type b) {
  TimeUnit unit = finerUnit(a->unit, b->unit);
  return convertsExactly(a, unit) && convertsExactly(b, unit) ? timeType(kind, unit) : Type();
}

} // namespace

std::optional<int64_t> unitsPerUnit(TimeUnit from, TimeUnit to) {
  if (from == to)
    return 1;
  // The number of next finer units per unit, starting with years. Months have no fixed number of weeks.
  constexpr int64_t next[] = {12, 0, 7, 0, 24, 60, 60, 1000, 1000, 1000, 1000, 1000, 1000};
  int64_t count = 1;
  for (unsigned unit = unsigned(from); unit < unsigned(to); ++unit) {
    if (unit == unsigned(TimeUnit::Week) + 1) // not a unit
      continue;
    if (unit >= std::size(next) || !next[unit] || __builtin_mul_overflow(count, next[unit], &count))
      return std::nullopt;
  }
  return from < to ? std::optional(count) : std::nullopt;
}

Type timeBinaryType(BinaryOp op, Type a, Type b) {
  bool dateA = a.is(TypeKind::DateTime), dateB = b.is(TypeKind::DateTime);
  bool timeA = a.is(TypeKind::TimeDelta), timeB = b.is(TypeKind::TimeDelta);
  switch (op) {
  case BinaryOp::Add:
    if ((dateA && timeB) || (timeA && dateB))
      return commonUnitType(TypeKind::DateTime, a, b);
    return timeA && timeB ? commonUnitType(TypeKind::TimeDelta, a, b) : Type();
  case BinaryOp::Sub:
    if (dateA && timeB)
      return commonUnitType(TypeKind::DateTime, a, b);
    return (dateA && dateB) || (timeA && timeB) ? commonUnitType(TypeKind::TimeDelta, a, b)
                                                : Type();
  case BinaryOp::Mul:
    return timeA && isNumber(b) ? a : isNumber(a) && timeB ? b : Type();
  case BinaryOp::TrueDiv:
  case BinaryOp::FloorDiv:
    if (timeA && isNumber(b))
      return a;
    if (!timeA || !timeB || !commonUnitType(TypeKind::TimeDelta, a, b))
      return {};
    return op == BinaryOp::TrueDiv ? float64Type() : int64Type();
  case BinaryOp::Mod:
    return timeA && timeB ? commonUnitType(TypeKind::TimeDelta, a, b) : Type();
  default:
    return {};
  }
}

Type timeUnaryType(UnaryOp op, Type a) {
  if (!a.is(TypeKind::TimeDelta) || op == UnaryOp::Invert)
    return {};
  return op == UnaryOp::Not ? boolType() : a;
}

Type unifyTimes(Type a, Type b) {
  return a.kind() == b.kind() ? commonUnitType(a.kind(), a, b) : Type();
}

bool isTimeStorable(Type from, Type to) {
  if (from.kind() != to.kind() || !from.isTime())
    return false;
  if (from == to || from->unit == TimeUnit::Generic)
    return true;
  if (to->unit == TimeUnit::Generic)
    return false;
  if (from.is(TypeKind::DateTime))
    return convertsExactly(from, to->unit) || convertsExactly(to, from->unit);
  return unitsPerUnit(from->unit, to->unit) || unitsPerUnit(to->unit, from->unit);
}

std::string explainTimeMismatch(Type a, Type b) {
  if (a.isTime() && b.isTime() && isCalendar(a->unit) != isCalendar(b->unit))
    return "months and years have no fixed number of days";
  return "";
}

} // namespace heddle::python
