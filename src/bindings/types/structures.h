// Program-defined types: objects of classes derived from heddle.types.Type.
//
// heddle.types.own_types describes the values of such a type with a tuple class. A tuple of this class holds the fields
// of a value in Python; the attribute __heddle_type__ of the class is the type. The class identifies the structure
// type.
#pragma once

#include "bindings/types/types.h"

namespace heddle {

/// The structure type that a tuple class describes; nullopt for other classes.
std::optional<python::Type> structureTypeOfClass(nanobind::handle type);

/// Lets packages register their types and functions, once, if heddle replaces numba. Called before the first function
/// is compiled and before an argument of an unknown class is rejected. Throws nothing.
void loadExtensions();

/// True if the program has registered a class for fieldsOfObject().
bool hasRegisteredClasses();

/// The fields, as a tuple, of an object whose class the program has registered (typeof_impl.register). nullopt for
/// other classes, and if the registered type is one of the compiler's. Throws the exceptions of the program's
/// functions.
std::optional<nanobind::object> fieldsOfObject(nanobind::handle object);

void bindStructures(nanobind::module_ &m, nanobind::class_<PythonType> &type);

} // namespace heddle
