#include "bindings/interpreter/public_function.h"

namespace nb = nanobind;

namespace heddle {

namespace {

/// A Python function in a C++ coat: the frame of a function that raises is always in the traceback, so it takes a caller
/// that has no frame to remove it.
struct PublicFunction {
  nb::object function;
};

nb::object call(const PublicFunction &self, nb::args positional, nb::kwargs named) {
  PyObject *result =
      PyObject_Call(self.function.ptr(), positional.ptr(), nb::len(named) ? named.ptr() : nullptr);
  if (!result) {
    dropOwnFrames();
    throw nb::python_error();
  }
  return nb::steal(result);
}

/// As an attribute of a class: a method of the instance.
nb::object bind(nb::handle self, nb::handle instance, nb::handle) {
  if (instance.is_none())
    return nb::borrow(self);
  static auto *methodType =
      new nb::object(nb::module_::import_("types").attr("MethodType")); // never freed
  return (*methodType)(self, instance);
}

} // namespace

void dropOwnFrames() noexcept {
  try {
    nb::python_error error;
    try {
      nb::module_::import_("heddle.tracebacks").attr("drop_own_frames")(error.value());
    } catch (nb::python_error &other) {
      other.discard_as_unraisable("heddle.tracebacks.drop_own_frames");
    }
    nb::object exception = nb::borrow(error.value());
    // Not restore(): it would put back the traceback as it was.
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (...) {
    PyErr_NoMemory();
  }
}

void bindPublicFunction(nb::module_ &m) {
  nb::class_<PublicFunction>(m, "PublicFunction", nb::dynamic_attr(),
                             "A function whose errors do not show its own frames.")
      .def(nb::init<nb::object>(), nb::arg("function"))
      .def("__call__", call)
      .def("__get__", bind, nb::arg("instance").none(), nb::arg("owner").none() = nb::none())
      .def("__repr__", [](const PublicFunction &self) { return nb::repr(self.function); })
      .def("__reduce__", [](const PublicFunction &self) -> nb::object {
        return self.function.attr("__qualname__");
      });
}

} // namespace heddle
