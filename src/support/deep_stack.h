// Stack for the compiler's recursive walks, whatever thread asks for a compilation.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Whether the calling thread's stack has room for that many bytes.
bool stackHasRoom(size_t bytes);

/// Calls `work` on a thread made for it, with a stack of that many bytes, while the calling one waits. What `work`
/// throws arrives here.
void runOnDeepStack(size_t bytes, const std::function<void()> &work);

} // namespace heddle
