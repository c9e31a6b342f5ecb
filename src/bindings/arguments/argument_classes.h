// Python classes that a launch checks for each argument.
#pragma once

#include "bindings/interpreter/get_or_make.h"
#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace heddle {

/// A NumPy scalar class and its type in kernels.
struct NumPyScalar {
  PyTypeObject *type;
  python::Type kernelType;
  /// The value directly follows the object header, as in NumPy's headers.
  bool followsHeader;
};

/// The classes, looked up once.
struct ArgumentClasses {
  PyTypeObject *ndarray, *generic, *deviceArray, *structured;
  PyTypeObject *sharedArray; ///< NumPy arrays over memory that host and device share
  nanobind::object viewAs;   ///< numpy.ndarray.view
  nanobind::object argHint;
  std::vector<NumPyScalar> scalars;

  static const ArgumentClasses &get() {
    static std::atomic<ArgumentClasses *> classes{nullptr};
    return getOrMake(classes, [] { return new ArgumentClasses; });
  }

  /// True for heddle's device arrays; usually the Python subclass.
  bool isDeviceArray(nanobind::handle value) const {
    return PyType_IsSubtype(Py_TYPE(value.ptr()), deviceArray) && nanobind::inst_ready(value);
  }

  /// The value's class if it is exactly a NumPy number class, else null.
  const NumPyScalar *scalarClassOf(nanobind::handle value) const {
    for (const NumPyScalar &scalar : scalars)
      if (scalar.type == Py_TYPE(value.ptr()))
        return &scalar;
    return nullptr;
  }

  /// True for NumPy arrays over memory that host and device share.
  bool isSharedArray(nanobind::handle value) const;

private:
  nanobind::object windowOf_;

  ArgumentClasses();
};

/// The address of the value that follows the object header.
inline const void *valueAfterHeader(nanobind::handle scalar) { return scalar.ptr() + 1; }

} // namespace heddle
