// Classes of the extension module that nanobind does not create.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Creates a class and makes it an attribute of the module. spec: named "heddle._heddle.<attribute>".
nanobind::object addClass(nanobind::module_ &m, PyType_Spec &spec);

/// Frees an instance whose members have been destroyed: the end of a class's Py_tp_dealloc.
void freeInstance(PyObject *self);

} // namespace heddle
