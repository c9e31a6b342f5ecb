// Writes messages to the terminal.
#pragma once

#include <string_view>

namespace heddle::os {

/// True if standard error is a terminal.
bool isStandardErrorTerminal();

/// Writes to standard error. Ignores failures.
void writeStandardError(std::string_view text);

} // namespace heddle::os
