// Instances of jitclasses. The value is the owner of the attributes, which are stored like a list with one tuple, see
// lists.h. An unassigned attribute is 0, empty, or a null owner.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A new instance of the type of `v`, with unassigned attributes.
Parts emitNewInstance(Emitter &e, Value &v);
/// `instance.name`.
Parts emitInstanceAttribute(Emitter &e, Value &v);
/// `instance.name = value`.
void emitInstanceStore(Emitter &e, Value &v);

} // namespace heddle::python
