// Selects among a function's implementations in Python.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The target's name in heddle.extension.overloads.
const char *nameOfTarget(python::Target target);

/// The function that heddle.extension.overloads.Implementations selects for these arguments and this target.
std::optional<python::Constant>
selectImplementation(nanobind::handle implementations,
                     const std::vector<python::CallArgument> &arguments, python::Target target);

} // namespace heddle
