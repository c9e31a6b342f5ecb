// Formats constants as Python's str() and repr() do.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// Python's repr of a string.
std::string quoted(const std::string &text);

/// repr() of a number, string, None, type, or a tuple of these; nothing for other constants.
std::optional<std::string> reprOf(const Constant &c);

/// str() of the same constants.
std::optional<std::string> strOf(const Constant &c);

/// The characters of a string, each as UTF-8.
std::vector<std::string> charactersOf(const std::string &text);

} // namespace heddle::python
