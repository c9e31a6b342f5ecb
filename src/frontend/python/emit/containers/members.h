// Attributes of values.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits `object.name` for a value whose attribute findAttribute finds.
Parts emitAttribute(Emitter &e, Value &object, const std::string &name);

} // namespace heddle::python
