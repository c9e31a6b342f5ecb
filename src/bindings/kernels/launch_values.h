// Converts the facts that reports give about a launch to Python values.
#pragma once

#include "runtime/cpu/check/findings.h"

#include <optional>

#include <nanobind/nanobind.h>

namespace heddle {

/// The name of an operation: "read", "write".
const char *nameOfOperation(cpu::FoundOp op);
/// (x, y, z); None if it is unknown.
nanobind::tuple tupleOf(const cpu::Index3 &index);
nanobind::object tupleOf(const std::optional<cpu::Index3> &index);
/// The text of a kernel's CUDA C++ program as a str; None for other kernels.
nanobind::object programTextOrNone(const cpu::ProgramText &program);

} // namespace heddle
