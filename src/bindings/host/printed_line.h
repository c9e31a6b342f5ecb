// Prints from host functions.
#pragma once

#include <string>

namespace heddle {

/// Formats `values`, 8 bytes each, with the `format` of simt.print, as Python's print() does. Requires the GIL.
std::string formatPythonLine(const char *format, const void *values);

/// Redirects prints of host functions to Python's sys.stdout.
void redirectPrintsToPython();

} // namespace heddle
