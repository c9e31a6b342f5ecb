// Code that is not ours and may fault: the process lives on.
#pragma once

#include <functional>

namespace heddle::os {

/// Calls `work`. Returns 0, or the signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP or SIGABRT) that ended it on this
/// thread: what it held then, locks too, stays held, and its objects must not be touched again. A stack that is used up
/// is such an end. Exceptions pass through. Faults of other threads go to the program's own handlers.
int catchFault(const std::function<void()> &work);

} // namespace heddle::os
