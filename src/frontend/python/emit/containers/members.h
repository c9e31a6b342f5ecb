// Attributes of values.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// `object.name`, of a value that memberOf knows.
Parts member(Emitter &e, Value &object, const std::string &name);

} // namespace heddle::python
