#include "bindings/values/numpy_classes.h"

#include <cstring>
#include <string>
#include <string_view>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

bool storesValueAfterHeader(nb::handle number) {
  nb::bytes bytes(nb::object(number.attr("tobytes")()));
  auto room = nb::cast<size_t>(number.type().attr("__basicsize__"));
  return sizeof(PyObject) + bytes.size() <= room &&
         std::memcmp(valueAfterHeader(number), bytes.c_str(), bytes.size()) == 0;
}

} // namespace

NumPyClasses::NumPyClasses() {
  nb::module_ numpy = nb::module_::import_("numpy");
  auto classOf = [](nb::object o) { return reinterpret_cast<PyTypeObject *>(o.release().ptr()); };
  ndarray = classOf(numpy.attr("ndarray"));
  generic = classOf(numpy.attr("generic"));
  structured = classOf(numpy.attr("void"));
  dtype = classOf(numpy.attr("dtype"));
  ufunc = classOf(numpy.attr("ufunc"));
  viewAs = numpy.attr("ndarray").attr("view");
  for (char code : std::string_view("fdiqIlLQ?bhBHFDe")) {
    nb::object number = numpy.attr("dtype")(std::string(1, code));
    std::string typestr = nb::cast<std::string>(number.attr("str"));
    numbers.push_back({classOf(number.attr("type")), python::scalarTypeOfTypestr(typestr),
                       storesValueAfterHeader(number.attr("type")(1))});
  }
}

} // namespace heddle
