// Stack for the compiler's recursive walks, whatever thread asks for a compilation.
#pragma once

#include <functional>

namespace heddle {

/// Calls `work`, which may use Python, on a stack with room for the deepest tree that the compiler takes: the calling
/// thread's, or that of a thread made for it while the calling one waits. What `work` throws arrives here. Called and
/// returns with the GIL.
void withDeepStack(const std::function<void()> &work);

} // namespace heddle
