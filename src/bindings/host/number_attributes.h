// Attributes of jitclasses that are numbers, as Python reads them: without a call of a compiled function.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindNumberAttributes(nanobind::module_ &m);

} // namespace heddle
