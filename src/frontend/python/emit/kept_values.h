// Values stored in lists and dicts of numba.typed and in instances. They may outlive the call, so all of their memory
// must be reference-counted.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

struct Kept {
  Parts parts;
  OwnerList owners; ///< one for each memory in it
};

/// Converts `value` to `type` for storage in a container, with an owner for each part that has none. Strings and records
/// are copied, and an array gets an owner that keeps the caller's array alive. Ends the call with a TypeError if no owner
/// can keep the array. Adds no references.
Kept convertForStorage(Emitter &e, Value &value, Type type);

} // namespace heddle::python
