// Launches with checks: `heddle check`.
#pragma once

#include "bindings/arguments/arguments.h"
#include "runtime/device.h"

namespace heddle {

/// Describes the calling thread's next launch for the reports of `heddle check`: the line of the calling Python code, and
/// the arrays. Issues a HeddleWarning if the device cannot check kernels. Does nothing unless launches are checked.
void noteCheckedLaunch(const Device &device, const ArgumentList &arguments);

/// Describes the calling thread's next copy or fill, by the line of the calling Python code. Does nothing unless launches
/// are checked.
void noteCheckedCopy();

/// Binds functions that tell the checker what host code does with memory, `set_checking(on)`, which returns the old value,
/// `take_findings(leaks_since)`, which waits for the CPU device and returns dicts, and `count_allocations()`.
void bindCheckedLaunches(nanobind::module_ &m);

} // namespace heddle
