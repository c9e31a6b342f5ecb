// The terminal that the program's messages appear on.
#pragma once

#include <string_view>

namespace heddle::os {

/// Whether what is written to standard error appears on a terminal.
bool errorsAppearOnTerminal();

/// Writes to standard error. What cannot be written is dropped.
void writeStandardError(std::string_view text);

} // namespace heddle::os
