// Strings between Python and functions of the host.
#pragma once

#include "host/memory.h"
#include "host/texts.h"

#include <nanobind/nanobind.h>

#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// The object that a function of Python's has made; throws Python's exception where there is none.
inline nanobind::object checked(PyObject *made) {
  if (!made)
    throw nanobind::python_error();
  return nanobind::steal(made);
}

/// Appends the slots of a Python string: its own memory where it is ASCII, else a copy in `memory`.
void addText(PyObject *text, host::CallMemory &memory, llvm::SmallVectorImpl<uint64_t> &slots);
/// The same of an ASCII string alone; whether it is one.
bool addAsciiText(PyObject *text, llvm::SmallVectorImpl<uint64_t> &slots);
/// The string that lies there.
nanobind::object textObject(const host::Text &text);
/// The same where three slots say where it lies.
nanobind::object textObject(const uint64_t *slots);

/// Has compiled code ask Python for the text of values.
void installPythonText();

} // namespace heddle
