// Python warnings from the compiler and the runtime.
#pragma once

#include "runtime/kernel_error.h"
#include "support/diagnostic.h"

#include <vector>

namespace heddle {

/// Issues each warning as heddle.errors.NumbaTypeSafetyWarning at its line, if config.WARNINGS is set. Throws if a
/// warning filter raises.
void issueTypeSafetyWarnings(const std::vector<Diagnostic> &warnings);

/// Issues heddle.errors.NumbaSystemWarning for cached code that was not used because other users can change it. Called
/// after loading a module. Throws if a warning filter raises.
void warnOfCacheRefusals();

/// Issues heddle.errors.HeddleWarning for a kernel error that no call has raised. Throws if a warning filter
/// raises.
void warnOfUnraisedKernelError(const KernelError &error);

/// Issues heddle.errors.HeddleWarning about the arguments of a CUDA C++ kernel launched through CuPy's API. Throws if
/// a warning filter raises.
void warnOfKernelArguments(const std::string &text);

/// Issues heddle.errors.HeddleWarning for a launch on a GPU while launches are checked. Throws if a warning filter
/// raises.
void warnOfUncheckedLaunch();

} // namespace heddle
