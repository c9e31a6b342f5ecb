#include "bindings/interpreter/python_class.h"

#include <cstring>

namespace nb = nanobind;

namespace heddle {

nb::object addClass(nb::module_ &m, PyType_Spec &spec) {
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid())
    throw nb::python_error();
  m.attr(std::strrchr(spec.name, '.') + 1) = type;
  return type;
}

void freeInstance(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

} // namespace heddle
