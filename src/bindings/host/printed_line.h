// What functions of the host print.
#pragma once

#include <string>

namespace heddle {

/// Needs Python's lock. The text of simt.print's `format` with the values that it takes from `values`, 8 bytes each, as Python's print()
/// writes them.
std::string printedLine(const char *format, const void *values);

/// Has what functions of the host print go to Python's standard output.
void installPrinter();

} // namespace heddle
