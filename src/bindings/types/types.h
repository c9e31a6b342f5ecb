// The types of kernel values as Python objects.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// A type as Python holds it. numba calls a function's missing result void; it is noneType() here.
struct PythonType {
  python::Type type;
  /// Of an object of a program's own class of types: its fields may not be known yet, see structures.h.
  bool isOpen = false;
};

/// Argument types and, where it was written, the result type of a function.
struct Signature {
  python::Type result; ///< unknown when it was not written
  std::vector<python::Type> arguments;
};

void bindTypes(nanobind::module_ &m);

/// Asks what the fields of the type `object` are (heddle.types.own_types), which is `type`.
void describeStructure(nanobind::handle object, PythonType &type) noexcept;

/// A new reference to the object that the program made for a structure's type; null for any other type.
PyObject *objectOfStructure(python::Type type) noexcept;

/// The object that Python has got for a type before, a new reference; null where it has got none. A type is one object in
/// Python, so that `is` compares types, too.
PyObject *knownObjectOf(python::Type type) noexcept;
void remember(python::Type type, PyObject *object) noexcept;

/// numba's text of a signature: "(float32[:], int32) -> void".
std::string describe(const Signature &signature);

} // namespace heddle

/// A type is one object in Python. A structure's is that of the program's class, with what the program keeps there.
template <>
struct nanobind::detail::type_caster<heddle::PythonType>
    : nanobind::detail::type_caster_base<heddle::PythonType> {
  using Base = nanobind::detail::type_caster_base<heddle::PythonType>;

  bool from_python(handle source, uint32_t flags, cleanup_list *cleanup) noexcept {
    if (!Base::from_python(source, flags, cleanup))
      return false;
    heddle::PythonType *type = *this;
    if (type && type->isOpen)
      heddle::describeStructure(source, *type);
    return true;
  }

  template <typename T>
  static handle from_cpp(T &&value, rv_policy policy, cleanup_list *cleanup) noexcept {
    if constexpr (!std::is_pointer_v<std::remove_reference_t<T>>)
      if (PyObject *own = heddle::objectOfStructure(value.type))
        return own;
    if constexpr (std::is_pointer_v<std::remove_reference_t<T>>) {
      return Base::from_cpp(std::forward<T>(value), policy, cleanup);
    } else {
      heddle::python::Type type = value.type;
      if (PyObject *known = heddle::knownObjectOf(type))
        return known;
      handle made = Base::from_cpp(std::forward<T>(value), policy, cleanup);
      heddle::remember(type, made.ptr());
      return made;
    }
  }
};
