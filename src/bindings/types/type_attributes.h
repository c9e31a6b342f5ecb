// What Python code asks a type for: its kind, its parts, an array's layout, a record's fields.
#pragma once

#include "bindings/types/types.h"

namespace heddle {

/// The slot that gives a type's attributes: its own, and those that a program's class of types of structures defines.
PyObject *attributeOfType(PyObject *self, PyObject *name);
void bindTypeAttributes(nanobind::class_<PythonType> &type);

/// The type of a tuple's element at an index of Python's, or several at a slice. Throws what indexing a tuple raises.
nanobind::object elementAt(const PythonType &tuple, nanobind::handle index);

} // namespace heddle
