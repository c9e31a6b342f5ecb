// Public functions of the package. Their tracebacks show only the program's frames.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Removes the frames of heddle's Python files from the traceback of the pending exception and of its causes. Keeps all
/// frames of an InternalError, and if HEDDLE_FULL_TRACEBACKS=1.
void removeHeddleFrames() noexcept;

/// Binds `PublicFunction(function, shortcut=None)`, which calls the function and removes heddle's frames from its
/// exceptions. If the first argument has an attribute named `shortcut`, tries to call that instead.
void bindPublicFunction(nanobind::module_ &m);

} // namespace heddle
