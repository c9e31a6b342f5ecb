#include "bindings/arguments/argument_classes.h"

#include "bindings/arrays/device_array.h"

#include <cstring>
#include <string>
#include <string_view>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

bool followsHeader(nb::handle scalar) {
  nb::bytes number(nb::object(scalar.attr("tobytes")()));
  auto room = nb::cast<size_t>(scalar.type().attr("__basicsize__"));
  return sizeof(PyObject) + number.size() <= room &&
         std::memcmp(valueAfterHeader(scalar), number.c_str(), number.size()) == 0;
}

} // namespace

ArgumentClasses::ArgumentClasses() {
  nb::module_ numpy = nb::module_::import_("numpy");
  auto classOf = [](nb::object o) { return reinterpret_cast<PyTypeObject *>(o.release().ptr()); };
  ndarray = classOf(numpy.attr("ndarray"));
  generic = classOf(numpy.attr("generic"));
  structured = classOf(numpy.attr("void"));
  viewAs = numpy.attr("ndarray").attr("view");
  deviceArray = classOf(nb::borrow(nb::type<DeviceArray>()));
  sharedArray = classOf(nb::module_::import_("heddle.cuda.shared_arrays").attr("SharedArray"));
  windowOf_ = nb::module_::import_("heddle.cuda.host_memory").attr("find_window");
  argHint = nb::module_::import_("heddle.cuda.args").attr("ArgHint");
  for (char code : std::string_view("fdiqIlLQ?bhBHFDe")) {
    nb::object dtype = numpy.attr("dtype")(std::string(1, code));
    std::string typestr = nb::cast<std::string>(dtype.attr("str"));
    scalars.push_back({classOf(dtype.attr("type")), python::scalarTypeOfTypestr(typestr),
                       followsHeader(dtype.attr("type")(1))});
  }
}

bool ArgumentClasses::isSharedArray(nb::handle value) const {
  // Results of arithmetic also have this class, but are in ordinary memory.
  return PyType_IsSubtype(Py_TYPE(value.ptr()), sharedArray) && !windowOf_(value).is_none();
}

} // namespace heddle
