// Stack for the compiler's recursive walks, whatever thread asks for a compilation.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Calls `work` on a stack with room for that many bytes: the calling thread's, or that of a thread made for it while the
/// calling one waits. What `work` throws arrives here.
void withStack(size_t bytes, const std::function<void()> &work);

} // namespace heddle
