// Instances of classes of jitclass: a value is the owner of its attributes, which lie as the one tuple of a list would, see
// lists.h. An attribute that has not been assigned is 0, empty, or an owner that is null.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A new instance, without attributes, of the type of `v`.
Parts emitNewInstance(Emitter &e, Value &v);
/// `instance.name`.
Parts emitInstanceAttribute(Emitter &e, Value &v);
/// `instance.name = value`.
void emitInstanceStore(Emitter &e, Value &v);

} // namespace heddle::python
