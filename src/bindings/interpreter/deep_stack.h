// Stack for the compiler's recursive walks, whatever thread of Python's asks for a compilation.
#pragma once

#include <functional>

namespace heddle {

/// Calls `work`, which may use Python, on a stack with room for the deepest tree of a kernel that the compiler takes: see
/// withStack. Called and returns with the GIL.
void withDeepStack(const std::function<void()> &work);

} // namespace heddle
