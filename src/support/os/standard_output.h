// The process's standard output.
#pragma once

#include <string_view>

namespace heddle::os {

/// Writes all of `text` to file descriptor 1, one call after the other; waits while a pipe is full. What cannot be
/// written (the output is closed, its reader gone, the disk full) is dropped.
void writeStandardOutput(std::string_view text);

} // namespace heddle::os
