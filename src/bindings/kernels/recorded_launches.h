// Launches that Python code records before they run: HEDDLE_REPLAY.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// True if launches go through the recorder.
extern bool recordsLaunches;

/// Passes a launch to the recorder: the object that the program calls, and the call's arguments. Returns false if the
/// recorder makes the call itself, on this thread; the launch is then not recorded. Python exceptions propagate.
bool passToRecorder(PyObject *kernel, PyObject *const *values, size_t count,
                    PyObject *keywordNames);

/// Binds `set_launch_recorder(function)` and functions that find the memory of arguments.
void bindRecordedLaunches(nanobind::module_ &m);

} // namespace heddle
