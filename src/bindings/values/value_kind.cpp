#include "bindings/values/value_kind.h"

#include "bindings/arrays/device_array.h"
#include "bindings/host/shared_containers.h"
#include "bindings/source/python_function.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/structures.h"
#include "bindings/values/numpy_classes.h"

namespace nb = nanobind;

namespace heddle {

namespace {

ValueKind scalarKindOf(nb::handle value) {
  return isInstanceOf(value, NumPyClasses::get().structured) ? ValueKind::Record
         : PyUnicode_Check(value.ptr())                      ? ValueKind::Text
                                                             : ValueKind::Scalar;
}

bool isType(nb::handle value) {
  const NumPyClasses &numpy = NumPyClasses::get();
  if (PyType_Check(value.ptr()))
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(value.ptr()), numpy.generic);
  return isInstanceOf(value, numpy.dtype) || nb::isinstance<PythonType>(value);
}

/// Of Python's own kinds, also instances of subclasses.
ValueKind builtinKindOf(nb::handle value) {
  PyObject *object = value.ptr();
  bool isNumber = PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object);
  return isNumber                  ? ValueKind::Number
         : PyTuple_Check(object)   ? ValueKind::Tuple
         : PyUnicode_Check(object) ? ValueKind::Text
         : PyBytes_Check(object)   ? ValueKind::Bytes
         : PySlice_Check(object)   ? ValueKind::Slice
         : PyList_Check(object)    ? ValueKind::List
         : PySet_Check(object)     ? ValueKind::Set
         : object == Py_Ellipsis   ? ValueKind::Ellipsis
                                   : ValueKind::Other;
}

ValueKind classifyOther(nb::handle value, nb::object &fields) {
  if (std::optional<nb::object> own = fieldsOfObject(value)) {
    fields = std::move(*own);
    return ValueKind::Structure;
  }
  if (isInstanceOf(value, NumPyClasses::get().generic))
    return scalarKindOf(value);
  if (isEnumMember(value))
    return ValueKind::EnumMember;
  if (ValueKind kind = builtinKindOf(value); kind != ValueKind::Other)
    return kind;
  if (isNumPyArray(value))
    return isInstanceOfLoaded(value, "numpy.ma", "MaskedArray") ? ValueKind::MaskedArray
                                                                : ValueKind::Array;
  if (isType(value))
    return ValueKind::Type;
  if (nb::isinstance<PythonFunction>(value))
    return ValueKind::Function;
  return sharedContainerOf(value) ? ValueKind::SharedContainer : ValueKind::Other;
}

} // namespace

ValueKind classify(nb::handle value, nb::object &fields) {
  PyObject *object = value.ptr();
  // Exact classes first: a launch classifies each argument.
  if (Py_TYPE(object) == NumPyClasses::get().ndarray)
    return ValueKind::Array;
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object))
    return ValueKind::Number;
  if (isDeviceArray(value))
    return ValueKind::DeviceArray;
  if (PyTuple_CheckExact(object))
    return ValueKind::Tuple;
  if (PyUnicode_CheckExact(object))
    return ValueKind::Text;
  if (value.is_none())
    return ValueKind::None;
  if (NumPyClasses::get().numberClassOf(value))
    return ValueKind::Scalar;
  return classifyOther(value, fields);
}

} // namespace heddle
