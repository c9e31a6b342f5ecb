// Passes strings between Python and host functions.
#pragma once

#include "host/memory.h"
#include "host/texts.h"

#include <nanobind/nanobind.h>

#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// Wraps the result of a Python C API function; throws the pending Python exception if it is null.
inline nanobind::object throwIfNull(PyObject *made) {
  if (!made)
    throw nanobind::python_error();
  return nanobind::steal(made);
}

/// Appends the slots of a Python string. Uses the string's memory if it is ASCII, else a copy in `memory`.
void addText(PyObject *text, host::CallMemory &memory, llvm::SmallVectorImpl<uint64_t> &slots);
/// The same for an ASCII string; returns false for others.
bool addAsciiText(PyObject *text, llvm::SmallVectorImpl<uint64_t> &slots);
/// Converts a compiled string to a Python string.
nanobind::object toPythonString(const host::Text &text);
/// The same for a string in three slots.
nanobind::object toPythonString(const uint64_t *slots);

/// Lets compiled code call Python to format values.
void installPythonText();

} // namespace heddle
