// Device arrays that a kernel's source names as globals or closure variables.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

#include <optional>

namespace heddle {

/// The constant for a device array or another library's GPU array, by its address; nullopt for other objects.
/// Exceptions from reading the array propagate. Called with the GIL.
std::optional<python::Constant> deviceArrayConstant(nanobind::handle object);

} // namespace heddle
