// Python warnings of the compiler and the runtime.
#pragma once

#include "runtime/kernel_error.h"
#include "support/diagnostic.h"

#include <vector>

namespace heddle {

/// Warns of each with heddle.errors.NumbaTypeSafetyWarning at its line, where config.WARNINGS asks for it. Throws what a
/// filter makes of a warning.
void tellWarnings(const std::vector<Diagnostic> &warnings);

/// Warns with heddle.errors.NumbaSystemWarning of cached code that was not used because another user can change it. Call it
/// after loading a module. Throws as above.
void tellCacheRefusals();

/// Warns with heddle.errors.HeddleWarning of a kernel's error that no call has raised. Throws as above.
void tellUnseenError(const KernelError &error);

} // namespace heddle
