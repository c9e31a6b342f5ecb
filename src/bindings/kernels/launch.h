// The part of a launch after the arguments have been read.
#pragma once

#include "bindings/arguments/arguments.h"

#include <memory>
#include <span>

namespace heddle {

/// For a launch that names no stream: the stream that produces one of its arrays, if another library captures it. Else
/// null. The default stream, `stream`, cannot be part of the capture.
std::shared_ptr<Stream> findCapturingProducer(Stream &stream, const ArgumentList &arguments);

/// Throws CompileError (Value) if the stream is capturing, because a capturing stream runs nothing that a launch could
/// wait for.
void refuseToWaitInCapture(const Stream &stream);

/// Launches a kernel in the stream, after pending work of other libraries on its arrays. `slots` are the kernel's
/// parameters. Waits for the kernel if `wait` is set, or if the stream is the default stream and an array is exported
/// (arrays/exported_memory.h). A capturing stream records the kernel. Called and returns with the GIL.
void enqueueLaunch(Stream &stream, Kernel &kernel, const LaunchShape &shape,
                   ArgumentList &arguments, std::span<const uint64_t> slots, bool wait);

} // namespace heddle
