// Functions of the package that programs call, whose errors show the program's frames only.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Takes the frames of heddle's own Python files out of the traceback of the pending Python exception, and out of those of
/// its causes. All stay with HEDDLE_FULL_TRACEBACKS=1, and those of an InternalError.
void dropOwnFrames() noexcept;

/// `PublicFunction(function)`: calls the function, and drops its frames from what it raises.
void bindPublicFunction(nanobind::module_ &m);

} // namespace heddle
