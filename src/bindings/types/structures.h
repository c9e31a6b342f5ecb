// Types of a program's own: objects of classes that it derives from heddle.types.Type.
//
// What their values consist of, heddle.types.own_types says: a class of tuples, which holds the fields of a value where
// Python has it, with the type as __heddle_type__. The class is the identity of the structure's type.
#pragma once

#include "bindings/types/types.h"

namespace heddle {

/// The type of the structures whose fields such a class of tuples holds; nothing for any other class.
std::optional<python::Type> structureOf(nanobind::handle type);

/// Lets packages register their types and functions, which they do before the first function is compiled and before an
/// argument of an unknown class is refused. Does so once, where heddle stands in for numba. Throws nothing.
void loadExtensions();

/// The fields of an object whose class the program has given a type (typeof_impl.register), as such a tuple; nothing
/// for objects of other classes, and for those whose type is one of the compiler's. Throws what the program's functions raise.
std::optional<nanobind::object> fieldsOfObject(nanobind::handle object);

void bindStructures(nanobind::module_ &m, nanobind::class_<PythonType> &type);

} // namespace heddle
