// Attributes of type objects: kind, parts, array layout, record fields.
#pragma once

#include "bindings/types/types.h"

namespace heddle {

/// The tp_getattro slot: the type's attributes, and those defined by a program's class for structure types.
PyObject *attributeOfType(PyObject *self, PyObject *name);
void bindTypeAttributes(nanobind::class_<PythonType> &type);

/// The type of a tuple's element at a Python index, or the types at a slice. Throws the exceptions of tuple indexing.
nanobind::object tupleElementTypeAt(const PythonType &tuple, nanobind::handle index);

} // namespace heddle
