// The GIL, acquired and released in a way that survives interpreter shutdown.
//
// At shutdown, CPython ends every other thread that acquires the GIL, by unwinding its stack or blocking it forever.
// C++ code on that stack does not survive the unwinding. Therefore no thread of this module acquires the GIL after
// shutdown begins, except the thread that shuts down.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// True if this Python has no GIL. The classes below then attach the thread to the interpreter and detach it.
#ifdef NB_FREE_THREADED
constexpr bool isFreeThreaded = true;
#else
constexpr bool isFreeThreaded = false;
#endif

/// Releases the GIL while it lives. After shutdown, a thread that begins or ends a scope sleeps until the process ends.
class WithoutGil {
public:
  WithoutGil();
  WithoutGil(const WithoutGil &) = delete;
  ~WithoutGil();

private:
  PyThreadState *state_;
};

/// Acquires the GIL on any thread. After interpreter shutdown, does not acquire the GIL and converts to false.
class WithGil {
public:
  WithGil();
  WithGil(const WithGil &) = delete;
  ~WithGil();
  explicit operator bool() const { return held_; }

private:
  bool held_;
  PyGILState_STATE state_;
};

/// Installs a fork handler that forgets the threads missing in the child. Call once, before using the classes above.
void installGilForkHandler();

/// Called once by the thread that shuts down the interpreter, before the shutdown. Afterwards no thread of this module
/// acquires the GIL. Waits at most a second for threads that run without the GIL.
void shutDownGil();

} // namespace heddle
