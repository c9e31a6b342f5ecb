// The exit status of the process, which Python code cannot see or change once the interpreter is shutting down.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Binds `fail_at_exit(fails)`: if `fails`, a process that would end with status 0 ends with status 1. The last call
/// counts. Has no effect if a signal or `os._exit` ends the process, and on systems without glibc.
void bindExitStatus(nanobind::module_ &m);

} // namespace heddle
