#include "bindings/values/value_kind.h"

#include "bindings/host/shared_containers.h"
#include "bindings/source/python_function.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/structures.h"

namespace nb = nanobind;

namespace heddle {

namespace {

ValueKind numpyScalarKindOf(nb::handle value) {
  return isInstanceOf(value, NumPyClasses::get().structured) ? ValueKind::Record
         : PyUnicode_Check(value.ptr())                      ? ValueKind::Text
                                                             : ValueKind::Scalar;
}

bool isNumPyTypeOrDtype(nb::handle value) {
  const NumPyClasses &numpy = NumPyClasses::get();
  if (PyType_Check(value.ptr()))
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(value.ptr()), numpy.generic);
  return isInstanceOf(value, numpy.dtype) || nb::isinstance<PythonType>(value);
}

/// The kind of an instance of a builtin class or its subclass.
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

} // namespace

ValueKind classifyUncommonValue(nb::handle value, nb::object &fields) {
  if (NumPyClasses::get().numberClassOf(value))
    return ValueKind::Scalar;
  if (std::optional<nb::object> own = fieldsOfObject(value)) {
    fields = std::move(*own);
    return ValueKind::Structure;
  }
  if (isInstanceOf(value, NumPyClasses::get().generic))
    return numpyScalarKindOf(value);
  if (isEnumMember(value))
    return ValueKind::EnumMember;
  if (ValueKind kind = builtinKindOf(value); kind != ValueKind::Other)
    return kind;
  if (isNumPyArray(value))
    return isInstanceOfImportedClass(value, "numpy.ma", "MaskedArray") ? ValueKind::MaskedArray
                                                                       : ValueKind::Array;
  if (isNumPyTypeOrDtype(value))
    return ValueKind::Type;
  if (nb::isinstance<PythonFunction>(value))
    return ValueKind::Function;
  return sharedContainerOf(value) ? ValueKind::SharedContainer : ValueKind::Other;
}

} // namespace heddle
