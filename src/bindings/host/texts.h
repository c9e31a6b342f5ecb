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
void addTextSlots(PyObject *text, host::CallMemory &memory, llvm::SmallVectorImpl<uint64_t> &slots);
/// Like addTextSlots(), but returns false for strings that are not ASCII.
bool appendTextSlotsIfAscii(PyObject *text, llvm::SmallVectorImpl<uint64_t> &slots);
/// Converts a compiled string to a Python string.
nanobind::object toPythonString(const host::Text &text);
/// Converts a string in three slots to a Python string.
nanobind::object toPythonString(const uint64_t *slots);

/// Lets compiled code call Python to format values.
void installPythonText();

} // namespace heddle
