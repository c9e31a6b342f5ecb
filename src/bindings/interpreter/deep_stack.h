// Provides enough stack for the compiler's recursive functions on any Python thread.
#pragma once

#include <functional>

namespace heddle {

/// Calls `work`, which may use Python, with enough stack for the deepest syntax tree that the compiler accepts; see
/// runWithStack. Called and returns with the GIL. The work runs in a SerializedScope.
void runWithDeepStack(const std::function<void()> &work);

} // namespace heddle
