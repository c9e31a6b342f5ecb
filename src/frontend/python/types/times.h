// NumPy's datetime64 and timedelta64: their units and the result types of their arithmetic.
#pragma once

#include "frontend/python/types/promotion.h"

namespace heddle::python {

/// True for calendar units, which do not have a fixed number of days.
inline bool isCalendar(TimeUnit unit) { return unit == TimeUnit::Year || unit == TimeUnit::Month; }
/// The number of `to` units in one `from` unit; nothing if it is not fixed or exceeds 64 bits.
std::optional<int64_t> unitsPerUnit(TimeUnit from, TimeUnit to);

/// The type of `a op b` if one operand is a time; unknown if NumPy does not support it.
Type timeBinaryType(BinaryOp op, Type a, Type b);
/// The type of `op a`.
Type timeUnaryType(UnaryOp op, Type a);
/// The type of a variable that holds either time, in the finer unit. Two times also compare in this type. Unknown if
/// the units do not convert, such as months and days.
Type unifyTimes(Type a, Type b);
/// True if a location of type `to` accepts a time of type `from`: exactly in finer units, rounded down in coarser ones.
bool isTimeStorable(Type from, Type to);
/// Explains why operations do not accept the two times; empty if the units convert.
std::string explainTimeMismatch(Type a, Type b);

} // namespace heddle::python
