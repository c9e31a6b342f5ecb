// Arrays in a device's memory that a kernel's source names, as globals or closure variables.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

/// A device array, or another library's array in a GPU's memory, by its place; nothing for any other object. Throws
/// what reading the array raises. Called with the GIL.
std::optional<python::Constant> deviceArrayConstant(nanobind::handle object);

} // namespace heddle
