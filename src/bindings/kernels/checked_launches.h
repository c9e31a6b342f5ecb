// Launches with checks: `heddle check`.
#pragma once

#include "bindings/arguments/arguments.h"
#include "program/loaded_program.h"
#include "runtime/device.h"

#include <memory>

namespace heddle {

/// Describes the calling thread's next launch for the reports of `heddle check`: the line of the calling Python code,
/// the arrays, and the text of the kernel's CUDA C++ program. Issues a HeddleWarning if the device cannot check
/// kernels. Does nothing unless launches are checked.
void recordNextLaunchForCheck(const Device &device, const ArgumentList &arguments,
                              std::shared_ptr<const program::ProgramSource> program = nullptr);

/// Describes the calling thread's next copy or fill, by the line of the calling Python code. Does nothing unless
/// launches are checked.
void recordNextCopyForCheck();

/// Binds functions that tell the checker what host code does with memory, `set_checking(on)`, which returns the old
/// value, `take_findings(leaks_since)`, which waits for the CPU device and returns dicts, `count_allocations()` and
/// `count_checked_launches()`.
void bindCheckedLaunches(nanobind::module_ &m);

} // namespace heddle
