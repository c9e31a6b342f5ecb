// Python classes that a launch asks for at every argument.
#pragma once

#include "bindings/interpreter/made_once.h"
#include "frontend/python/types/types.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace heddle {

/// A class of NumPy scalars and the type that they have in a kernel.
struct NumPyScalar {
  PyTypeObject *type;
  python::Type kernelType;
  /// The number lies right behind the object's head, as NumPy's headers declare it.
  bool isBehindHead;
};

/// The classes, looked up once.
struct ArgumentClasses {
  PyTypeObject *ndarray, *generic, *deviceArray, *structured;
  PyTypeObject *sharedArray; ///< NumPy's arrays over memory that host and device share
  nanobind::object viewAs;   ///< numpy.ndarray.view
  nanobind::object argHint;
  std::vector<NumPyScalar> scalars;

  static const ArgumentClasses &get() {
    static std::atomic<ArgumentClasses *> classes{nullptr};
    return madeOnce(classes, [] { return new ArgumentClasses; });
  }

  /// Whether heddle's own device array; its subclass in Python is the usual case.
  bool isDeviceArray(nanobind::handle value) const {
    return PyType_IsSubtype(Py_TYPE(value.ptr()), deviceArray) && nanobind::inst_ready(value);
  }

  /// The class of the value if it is one of NumPy's numbers, and no subclass; else null.
  const NumPyScalar *scalarClassOf(nanobind::handle value) const {
    for (const NumPyScalar &scalar : scalars)
      if (scalar.type == Py_TYPE(value.ptr()))
        return &scalar;
    return nullptr;
  }

  /// Whether a NumPy array over memory that host and device share.
  bool isSharedArray(nanobind::handle value) const;

private:
  nanobind::object windowOf_;

  ArgumentClasses();
};

/// The number of an instance of a class that has it behind the head.
inline const void *numberBehindHead(nanobind::handle scalar) { return scalar.ptr() + 1; }

} // namespace heddle
