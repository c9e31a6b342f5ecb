// Constants as text: what Python's str() and repr() make of them.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// Python's repr of a string.
std::string quoted(const std::string &text);

/// repr() of a constant: numbers, strings, None, types and tuples of these; nothing for others.
std::optional<std::string> reprOf(const Constant &c);

/// str() of the same.
std::optional<std::string> strOf(const Constant &c);

/// The characters of a string: each as UTF-8.
std::vector<std::string> charactersOf(const std::string &text);

} // namespace heddle::python
