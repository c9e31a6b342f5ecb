// Captures of cuda.graph(): while one is active on a thread, the thread's work without a stream goes to the graph.
#pragma once

#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <atomic>

namespace heddle {

/// The number of threads with an active capture: 0 nearly always, so that launches need no thread-local variables.
inline std::atomic<unsigned> capturingThreads{0};

/// Implements captureOrDefaultStream() while some thread captures.
Stream &findCaptureOrDefaultStream(Device &device);

/// The stream for work of the calling thread on `device` that names no stream: the stream of an active capture, or the
/// default stream.
inline Stream &captureOrDefaultStream(Device &device) {
  return capturingThreads.load(std::memory_order_relaxed) ? findCaptureOrDefaultStream(device)
                                                          : device.defaultStream();
}

/// True if a capture is active on the calling thread and `stream` records for a graph.
bool isInGraphCapture(const Stream &stream);

/// Implements tellCaptureOfLaunch() while some thread captures.
void recordLaunchInCapture(const Stream &stream, PyObject *launcher, PyObject *const *values,
                           size_t count, PyObject *keywordNames);

/// Tells the active capture about a launch that `stream` has recorded: the object that the program called, and the
/// call's arguments. Python exceptions propagate.
inline void tellCaptureOfLaunch(const Stream &stream, PyObject *launcher, PyObject *const *values,
                                size_t count, PyObject *keywordNames) {
  if (capturingThreads.load(std::memory_order_relaxed))
    recordLaunchInCapture(stream, launcher, values, count, keywordNames);
}

void bindGraphs(nanobind::module_ &m);

} // namespace heddle
