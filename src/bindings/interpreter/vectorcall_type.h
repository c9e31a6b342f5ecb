// What types whose instances are called through a pointer have in common.
#pragma once

#include "bindings/interpreter/public_function.h"
#include "bindings/runtime.h"

#include <nanobind/nanobind.h>

#include <cstddef>

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

namespace heddle {

/// Says where an instance has its vectorcallfunc, in bytes.
constexpr PyMemberDef vectorcallMember(size_t offset) {
  return {"__vectorcalloffset__", Py_T_PYSSIZET, Py_ssize_t(offset), Py_READONLY, nullptr};
}

/// Runs `work`; an exception of C++ becomes Python's, and the result null.
template <typename Work> PyObject *guarded(Work work) {
  try {
    return work();
  } catch (...) {
    setPythonError(std::current_exception());
    return nullptr;
  }
}

/// The same for what the program calls itself: the traceback shows its own frames only.
template <typename Work> PyObject *calledByProgram(Work work) {
  PyObject *result = guarded(work);
  if (!result && PyErr_Occurred()) // an iterator at its end raises nothing
    dropOwnFrames();
  return result;
}

} // namespace heddle
