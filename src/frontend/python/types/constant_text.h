// Formats constants as Python's str() and repr() do.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// Python's repr of a string.
std::string quoted(const std::string &text);

/// repr() of a number, string, None, type, or a tuple of these; nothing for other constants.
std::optional<std::string> reprOf(const Constant &c);

/// str() of a constant; nothing for constants that reprOf() does not support.
std::optional<std::string> strOf(const Constant &c);

/// The characters of a UTF-8 string, each encoded as UTF-8.
std::vector<std::string> charactersOf(const std::string &text);

} // namespace heddle::python
