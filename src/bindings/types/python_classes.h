// Python classes that are part of a type: named tuples, enumerations and jitclasses.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The name of a value's class, for messages.
std::string classNameOf(nanobind::handle value);

/// True if the object's class is `module.name`. Does not import the module.
bool isInstanceOfImportedClass(nanobind::handle object, const char *module, const char *name);

/// Keeps a class alive and returns the pointer that identifies it in types. Called with the GIL.
const void *keepClassAlive(nanobind::handle type);

/// Converts a named tuple class to a type without elements, or a class of structure fields to the structure's type;
/// nullopt for other classes.
std::optional<python::Type> typeOfTupleClass(nanobind::handle type);

/// True if the object is a member of an enumeration.
bool isEnumMember(nanobind::handle object);

/// The type of an enumeration member with a value of type `value`.
python::Type enumTypeOf(nanobind::handle member, python::Type value);

/// The type of instances of a jitclass or structure class with these attributes. The default for `typeName` is the
/// class's name.
python::Type instanceTypeOf(nanobind::handle type, std::vector<std::string> names,
                            std::vector<python::Type> types, const std::string &typeName);

/// The class that Python programs see for an instance type: the proxy class of a structure (structref), or the
/// jitclass itself.
nanobind::handle publicClassOf(python::Type type);

/// The Python classes for values of a type: an int64 may be an int or a NumPy scalar. Empty for types that exist only
/// in compiled code.
std::vector<nanobind::object> pythonClassesOf(python::Type type);

/// The class that is part of the type; null if there is none.
nanobind::handle classOf(python::Type type);

} // namespace heddle
