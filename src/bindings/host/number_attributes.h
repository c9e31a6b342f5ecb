// Numeric attributes of jitclasses, read from Python without calling a compiled function.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

void bindNumberAttributes(nanobind::module_ &m);

} // namespace heddle
