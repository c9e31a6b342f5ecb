#include "bindings/interpreter/whole_numbers.h"

#include <string>

namespace nb = nanobind;

namespace heddle {

nb::object toPythonInt(nb::handle value, const char *what) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    nb::str type = nb::str(nb::handle((PyObject *)Py_TYPE(value.ptr())).attr("__name__"));
    throw nb::type_error((std::string(what) + " must be an int, not " + type.c_str()).c_str());
  }
  return number;
}

uint64_t toUnsigned(nb::handle value, const char *what, uint64_t most) {
  nb::object number = toPythonInt(value, what);
  int overflow = 0;
  long long n = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow || n < 0 || uint64_t(n) > most)
    throw nb::value_error((std::string(what) + " must be at least 0 and at most " +
                           std::to_string(most) + ", not " +
                           (overflow ? "an int of more than 64 bits" : std::to_string(n)))
                              .c_str());
  return n;
}

} // namespace heddle
