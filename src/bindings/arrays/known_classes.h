// Classes of other libraries' arrays that need no protocol: torch's tensors, CuPy's arrays, and classes with DLPack's C
// functions.
#pragma once

#include "bindings/arrays/dlpack.h"
#include "bindings/arrays/foreign_arrays.h"

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

enum class Library { Torch, CuPy, Other, None };

/// A Python class whose objects are arrays, and how to read them.
struct KnownClass {
  PyTypeObject *type; ///< a strong reference, so the address stays unique
  Library library;
  const dlpack::ExchangeApi *api; ///< DLPack's C functions; null if the class has none
};

/// An attribute of a module that the program has imported; null if it has not.
nanobind::object findImportedAttribute(const char *module, const char *name);

/// Reads an array of a known class. nullopt for other classes.
std::optional<ForeignArray> readArrayIfClassIsKnown(nanobind::handle value, ForeignTarget &target);

} // namespace heddle
