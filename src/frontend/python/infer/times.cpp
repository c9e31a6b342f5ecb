// Types of datetime64 and timedelta64 that a kernel makes.

#include "frontend/python/types/times.h"
#include "frontend/python/infer/inference.h"

namespace heddle::python {

bool Inference::visitTimeCast(Value &v, Type to) {
  const char *name = to.is(TypeKind::DateTime) ? "np.datetime64" : "np.timedelta64";
  size_t given = v.operands.size() - 1;
  if (given < 1 || given > 2 || !v.names.empty())
    error(v, std::string(name) + "() takes a value and a unit, " + std::to_string(given) +
                 (given == 1 ? " argument was given" : " arguments were given"));
  Value &from = *v.operands[1];
  TimeUnit unit = from.type.isTime() ? from.type->unit : to->unit;
  if (given == 2) {
    const Value &text = *v.operands[2];
    auto found = text.constant && text.type == stringType() && !text.constant->text.empty()
                     ? timeUnitNamed(text.constant->text)
                     : std::nullopt;
    if (!found)
      errorAt(v, 2,
              "the unit of a time is a constant string: 'Y', 'M', 'W', 'D', 'h', 'm', 's', "
              "'ms', 'us', 'ns', 'ps', 'fs' or 'as'");
    unit = *found;
  }
  Type type = timeType(to.kind(), unit);
  if (from.type == stringType() && from.constant && from.constant->text == "NaT")
    return set(v, type);
  bool count = from.type.isInteger() && (to.is(TypeKind::TimeDelta) || unit != TimeUnit::Generic);
  if (!count && !timeStorable(from.type, type))
    errorAt(v, 1,
            std::string(name) + "() of " + describeType(from) + " is not possible in a kernel",
            from.type.name(),
            from.type == stringType()
                ? "make it outside of the kernel, and pass it or name it as a global"
                : "it takes an integer and a unit");
  return set(v, type);
}

} // namespace heddle::python
