// What every launch does once its arguments are read.
#pragma once

#include "bindings/arguments/arguments.h"

#include <span>

namespace heddle {

/// Throws CompileError (Value) where a launch that waits would wait for a graph.
void refuseToWaitInCapture(const Stream &stream);

/// Launches a kernel in the order of the stream, after what other libraries have still to do with its arrays. `slots` are
/// the kernel's parameters. Returns when the kernel has run if `wait`, or if the stream is the default stream and an array
/// is exported (arrays/exported_memory.h); a stream that captures records the kernel. Called and returns with the GIL.
void enqueue(Stream &stream, Kernel &kernel, const LaunchShape &shape, ArgumentList &arguments,
             std::span<const uint64_t> slots, bool wait);

} // namespace heddle
