// NumPy's classes, looked up once.
#pragma once

#include "bindings/interpreter/get_or_make.h"
#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace heddle {

/// A class of NumPy numbers and its type in compiled code.
struct NumPyNumber {
  PyTypeObject *itsClass;
  python::Type type;
  /// The value directly follows the object header, as in NumPy's headers.
  bool followsHeader;
};

struct NumPyClasses {
  PyTypeObject *ndarray, *generic, *structured, *dtype, *ufunc;
  nanobind::object viewAs; ///< numpy.ndarray.view
  std::vector<NumPyNumber> numbers;

  static const NumPyClasses &get() {
    static std::atomic<NumPyClasses *> classes{nullptr};
    return getOrMake(classes, [] { return new NumPyClasses; });
  }

  /// The entry for the value's class; null unless it is one of the NumPy scalar types. Subclasses do not match.
  const NumPyNumber *numberClassOf(nanobind::handle value) const {
    for (const NumPyNumber &number : numbers)
      if (number.itsClass == Py_TYPE(value.ptr()))
        return &number;
    return nullptr;
  }

private:
  NumPyClasses();
};

inline bool isInstanceOf(nanobind::handle value, PyTypeObject *type) {
  return PyType_IsSubtype(Py_TYPE(value.ptr()), type);
}

/// True for NumPy arrays, including instances of subclasses.
inline bool isNumPyArray(nanobind::handle value) {
  return isInstanceOf(value, NumPyClasses::get().ndarray);
}

/// The address of the value that follows the object header.
inline const void *valueAfterHeader(nanobind::handle number) { return number.ptr() + 1; }

} // namespace heddle
