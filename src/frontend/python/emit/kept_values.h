// What lists and dicts of numba.typed and instances keep: it may outlive the call, so nothing in it is the caller's or the
// code's alone.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

struct Kept {
  Parts parts;
  OwnerList owners; ///< one for each memory in it
};

/// `value` as a `type` with an owner for each part that has none: a string or a record is copied, an array is kept by what
/// the caller has. Ends the call with a TypeError for an array that nobody can keep. No reference is taken.
Kept kept(Emitter &e, Value &value, Type type);

} // namespace heddle::python
