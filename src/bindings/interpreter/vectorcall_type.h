// Helpers for types with a vectorcall pointer per instance.
#pragma once

#include "bindings/interpreter/public_function.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/runtime.h"

#include <nanobind/nanobind.h>

#include <cstddef>

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

namespace heddle {

/// Declares the offset of the instance's vectorcallfunc, in bytes.
constexpr PyMemberDef vectorcallMember(size_t offset) {
  return {"__vectorcalloffset__", Py_T_PYSSIZET, Py_ssize_t(offset), Py_READONLY, nullptr};
}

/// Runs `work` in a SerializedScope. Converts C++ exceptions to Python's and returns null for them.
template <typename Work> PyObject *translateExceptions(Work work) {
  SerializedScope scope;
  try {
    return work();
  } catch (...) {
    setPythonError(std::current_exception());
    return nullptr;
  }
}

/// Like translateExceptions(), for functions that programs call directly: the traceback shows only the program's
/// frames.
template <typename Work> PyObject *translatePublicExceptions(Work work) {
  PyObject *result = translateExceptions(work);
  if (!result && PyErr_Occurred()) // an exhausted iterator returns null without an exception
    removeHeddleFrames();
  return result;
}

} // namespace heddle
