// Classifies Python objects as values for compiled code: arguments, globals, closure variables and defaults, which
// differ only in the kinds that they accept.
#pragma once

#include "bindings/arrays/device_array.h"
#include "bindings/values/numpy_classes.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

enum class ValueKind : uint8_t {
  None,
  Number, ///< a Python number; appendNumberSlots() fails if it does not fit in 64 bits
  Scalar, ///< a NumPy scalar; appendNumberSlots() fails if compiled code has no type for it
  Record, ///< a NumPy scalar of a structured dtype
  EnumMember,
  Text,
  Bytes,
  Tuple,
  Structure, ///< an object of a class whose type the program has registered
  Slice,
  Ellipsis,
  Array, ///< a NumPy array, or an instance of a subclass
  MaskedArray,
  DeviceArray,
  Type, ///< a type of heddle.types, a dtype, or a class of NumPy scalars
  Function,
  List,
  Set,
  SharedContainer, ///< a list or dict of heddle.typed, or an instance of a jitclass
  Other,           ///< arrays of other libraries, modules, classes and everything else
};

/// classify() for objects of all but the most common classes.
ValueKind classifyUncommonValue(nanobind::handle value, nanobind::object &fields);

/// Classifies an object. For a Structure, sets `fields` to a tuple of its fields. A class that the program has
/// registered takes precedence over its base classes. Throws the exceptions of the program's functions.
inline ValueKind classify(nanobind::handle value, nanobind::object &fields) {
  PyObject *object = value.ptr();
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
  return classifyUncommonValue(value, fields);
}

} // namespace heddle
