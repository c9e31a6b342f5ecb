// What kernels print.
#pragma once

#include <string>

namespace heddle::cpu {

/// The text of simt.print's `format` with the values that it takes from `values`, 8 bytes each: as printf would
/// write them, a NaN without a sign, truths as True and False.
std::string formatLine(const char *format, const void *values);

/// Writes that text to the standard output at once. No other thread's text comes in between. Whether there was memory for
/// it.
bool printLine(const char *format, const void *values);

} // namespace heddle::cpu
