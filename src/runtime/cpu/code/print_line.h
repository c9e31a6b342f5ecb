// Prints from kernels.
#pragma once

#include <string>

namespace heddle::cpu {

/// Formats `values`, 8 bytes each, with the `format` of simt.print. Follows printf in the C locale, except that a NaN
/// has no sign; %b prints True or False.
std::string formatLine(const char *format, const void *values);

/// Writes formatLine() to standard output in one piece, not mixed with text from other threads. Returns false if memory
/// is exhausted.
bool printLine(const char *format, const void *values);

} // namespace heddle::cpu
