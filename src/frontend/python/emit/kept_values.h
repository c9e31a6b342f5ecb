// What lists and dicts of numba.typed keep: it may outlive the call, so nothing in it is the caller's or the code's alone.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Gives an owner to each part of a value of type `type` that has none: a string is copied, an array is kept by what the
/// caller has. Ends the call with a TypeError for an array that nobody can keep.
void keepValue(Emitter &e, Type type, Parts &parts, OwnerList &owners, Span span);

} // namespace heddle::python
