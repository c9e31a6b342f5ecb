// Stack for the compiler's recursive walks, whatever thread asks for a compilation.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Calls `work`, which may use Python, on a stack with room for the deepest tree that the compiler takes: the calling
/// thread's, or that of a thread made for it while the calling one waits. What `work` throws arrives here. Called and
/// returns with the GIL. `bytes`: the room that it needs; a tree of a Python kernel of the greatest depth takes a
/// megabyte, twice that in a build with sanitizers.
void withDeepStack(const std::function<void()> &work, size_t bytes = size_t(3) << 20);

} // namespace heddle
