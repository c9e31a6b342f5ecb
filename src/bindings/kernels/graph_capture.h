// Captures of cuda.graph(): while one is active on a thread, the thread's work without a stream goes to the graph.
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The stream for work of the calling thread on `device` that names no stream: the stream of an active capture, or the
/// default stream.
Stream &streamWithoutName(Device &device);

/// True if a capture is active on the calling thread and `stream` records for a graph.
bool isInGraphCapture(const Stream &stream);

/// Tells the active capture about a launch that `stream` has recorded: the object that the program called, and the
/// call's arguments. Python exceptions propagate.
void noteCapturedLaunch(const Stream &stream, PyObject *launcher, PyObject *const *values,
                        size_t count, PyObject *keywordNames);

void bindGraphs(nanobind::module_ &m);

} // namespace heddle
