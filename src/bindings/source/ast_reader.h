// Converts Python `ast` objects to heddle's syntax tree.
#pragma once

#include "frontend/python/syntax/syntax.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Reads the parameters and body of a FunctionDef or Lambda into `source`. Adds `lineOffset` to line numbers, so that
/// they match the file, and converts columns to characters. Unsupported syntax becomes Unsupported nodes. Throws
/// CompileError if the nesting is deep enough to exhaust the stack.
void readFunction(nanobind::handle definition, int lineOffset, python::FunctionSource &source);

} // namespace heddle
