// The Python classes of type objects, named like numba's: type(types.int64).__name__ is "Integer".
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The subclass of `Type` for a type; null if numba has no class for it, and for types of programs' classes.
PyTypeObject *typeClassOf(python::Type type) noexcept;

/// Creates the classes. `base` is the class `Type`, which must not have instances yet.
void makeTypeClasses(nanobind::handle base);

} // namespace heddle
