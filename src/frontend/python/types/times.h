// NumPy's datetime64 and timedelta64 in kernels: their units, and the type of what is computed with them.
#pragma once

#include "frontend/python/types/promotion.h"

namespace heddle::python {

/// Whether a unit is one of the calendar, which has no fixed number of days.
inline bool isCalendar(TimeUnit unit) { return unit == TimeUnit::Year || unit == TimeUnit::Month; }
/// How many of the finer unit `to` one `from` has; nothing where that is no fixed number, or none that 64 bits hold.
std::optional<int64_t> unitsIn(TimeUnit from, TimeUnit to);

/// The type of `a op b` where one of them is a time; unknown where NumPy has no such operation.
Type timeBinaryType(BinaryOp op, Type a, Type b);
/// The type of `op a`.
Type timeUnaryType(UnaryOp op, Type a);
/// The type of a variable that holds one time or the other, in the finer of the units; also what two times are compared
/// in. Unknown where a count of one unit is no count of the other, as of months and days.
Type unifyTimes(Type a, Type b);
/// Whether a time may be stored as another: in finer units exactly, in coarser ones rounded down.
bool timeStorable(Type from, Type to);
/// Why two times go with each other for no operation; empty when they do.
std::string timeHint(Type a, Type b);

} // namespace heddle::python
