// Values stored in lists and dicts of numba.typed and in instances. They may outlive the call, so all of their memory
// must be reference-counted.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

struct Kept {
  Parts parts;
  OwnerList owners; ///< see countHostOwners()
};

/// Converts `value` to `type` for storage in a container. Gives all of its memory an owner: copies records, and strings
/// without an owner; an array without an owner gets a new one that keeps the caller's array alive. Raises a TypeError
/// if that is impossible. Adds no references.
Kept convertAndOwnForStorage(Emitter &e, Value &value, Type type);

} // namespace heddle::python
