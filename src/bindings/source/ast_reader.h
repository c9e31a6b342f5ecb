// Python's `ast` objects as heddle's own syntax tree.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Reads a FunctionDef or Lambda into `source`: parameters and body. Lines are moved by `lineOffset`, so that they count
/// as in the file; columns become characters. Whatever kernels do not have is read as Unsupported. Throws CompileError
/// for nesting so deep that it would exhaust the stack.
void readFunction(nanobind::handle definition, int lineOffset, python::FunctionSource &source);

} // namespace heddle
