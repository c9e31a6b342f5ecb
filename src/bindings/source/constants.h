// Converts Python objects that a program's source names to front-end constants.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The constant that represents a Python object.
python::Constant constantOfObject(nanobind::handle object);

/// Represents bytes as a read-only uint8 array.
python::Constant bytesConstant(nanobind::handle bytes);

/// The constant of a function, method or class that is not compiled. Its hint names a replacement.
python::Constant functionConstant(nanobind::handle object);

/// The constant of a ctypes or cffi function.
python::Constant cFunctionConstant(nanobind::handle object);

/// True for ctypes and cffi functions, and for objects with numba's WrapperAddressProtocol.
bool isCFunction(nanobind::handle object);

} // namespace heddle
