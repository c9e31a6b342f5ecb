// Types of kernel values as Python objects.
#pragma once

#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// A type as a Python object. numba calls a missing result void; here it is noneType().
struct PythonType {
  python::Type type;
  /// For objects of a type class that the program defines: the fields may not be known yet, see structures.h.
  bool isOpen = false;
};

/// A function's argument types, and its result type if declared.
struct Signature {
  python::Type result; ///< unknown if not declared
  std::vector<python::Type> arguments;
};

void bindTypes(nanobind::module_ &m);

/// Determines the fields of the structure type `type` from its Python object (heddle.types.own_types).
void resolveStructureFields(nanobind::handle object, PythonType &type) noexcept;

/// A new reference to the program's object for a structure type; null for other types.
PyObject *newReferenceToStructureObject(python::Type type) noexcept;

/// A new reference to the existing Python object for a type; null if there is none. Each type has one Python object, so
/// `is` compares types.
PyObject *cachedObjectOfType(python::Type type) noexcept;
/// Makes `object`, a new reference that the function takes, the type's object if it has none. Returns a new reference
/// to the type's object.
PyObject *getOrSetObjectOfType(python::Type type, PyObject *object) noexcept;
/// A new object of the type's class (type_classes.h); null if it has none.
PyObject *newObjectOfTypeClass(const PythonType &type) noexcept;

/// Formats a signature as numba does: "(float32[:], int32) -> void".
std::string formatSignature(const Signature &signature);

} // namespace heddle

/// Each type has one Python object. For a structure it is the program's object, with all its attributes.
template <>
struct nanobind::detail::type_caster<heddle::PythonType>
    : nanobind::detail::type_caster_base<heddle::PythonType> {
  using Base = nanobind::detail::type_caster_base<heddle::PythonType>;

  bool from_python(handle source, uint32_t flags, cleanup_list *cleanup) noexcept {
    if (!Base::from_python(source, flags, cleanup))
      return false;
    heddle::PythonType *type = *this;
    if (type && type->isOpen)
      heddle::resolveStructureFields(source, *type);
    return true;
  }

  template <typename T>
  static handle from_cpp(T &&value, rv_policy policy, cleanup_list *cleanup) noexcept {
    if constexpr (!std::is_pointer_v<std::remove_reference_t<T>>)
      if (PyObject *own = heddle::newReferenceToStructureObject(value.type))
        return own;
    if constexpr (std::is_pointer_v<std::remove_reference_t<T>>) {
      return Base::from_cpp(std::forward<T>(value), policy, cleanup);
    } else {
      heddle::python::Type type = value.type;
      if (PyObject *known = heddle::cachedObjectOfType(type))
        return known;
      handle made = heddle::newObjectOfTypeClass(value);
      if (!made)
        made = Base::from_cpp(std::forward<T>(value), policy, cleanup);
      return heddle::getOrSetObjectOfType(type, made.ptr());
    }
  }
};
