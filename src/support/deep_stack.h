// Runs the compiler's recursive functions with enough stack on any thread.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Calls `work` with at least `bytes` of stack: on the calling thread if its stack has room, else on a temporary thread
/// while the caller waits. Exceptions thrown by `work` propagate to the caller.
void runWithStack(size_t bytes, const std::function<void()> &work);

} // namespace heddle
