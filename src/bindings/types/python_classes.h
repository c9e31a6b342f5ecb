// Python classes that are part of a type: those of named tuples, enumerations and instances of jitclass.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The name of a value's class, for messages.
std::string classNameOf(nanobind::handle value);

/// Whether the object is of a class of a module that is imported only where there are such objects.
bool isOfLoaded(nanobind::handle object, const char *module, const char *name);

/// A class as part of a type, which keeps it. Called with the GIL.
const void *keptClass(nanobind::handle type);

/// A class of named tuples as a type without elements, or of a structure's fields as the structure's type; nothing for any
/// other class.
std::optional<python::Type> namedTupleOf(nanobind::handle type);

/// Whether the object is a member of an enumeration.
bool isEnumMember(nanobind::handle object);

/// The type of a member of an enumeration whose value has the type `value`.
python::Type enumTypeOf(nanobind::handle member, python::Type value);

/// The type of instances of a class of jitclass, or of structures, with attributes of these names and types. Without a
/// `typeName` it is called after the class.
python::Type instanceTypeOf(nanobind::handle type, std::vector<std::string> names,
                            std::vector<python::Type> types, const std::string &typeName);

/// The class of the objects that programs have of an instance's type.
nanobind::handle programsClassOf(python::Type type);

/// The classes in Python that values of a type are instances of: an int64 may be an int or a NumPy scalar. Empty for types
/// whose values exist in compiled code only.
std::vector<nanobind::object> pythonClassesOf(python::Type type);

/// The class that a type is of; null for types of no class.
nanobind::handle classOf(python::Type type);

} // namespace heddle
