// Python's lock, taken and given back in a way that survives the end of the interpreter.
//
// When the interpreter ends, CPython ends every other thread that asks for the lock, by unwinding the thread's stack or
// by holding it for ever. C++ code on that stack does not survive the first. So from the moment that the interpreter
// ends, no thread of this module asks for the lock any more, except the one that ends it.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Gives the lock back while it lives. A thread that would begin to, or would take it again, after the interpreter has
/// ended sleeps instead, until the process is gone.
class WithoutGil {
public:
  WithoutGil();
  WithoutGil(const WithoutGil &) = delete;
  ~WithoutGil();

private:
  PyThreadState *state_;
};

/// Holds the lock, on any thread, if it can be had: not when the interpreter has ended.
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

/// To be called once, before anything else here: forgets, in the child of a fork, the threads that are not there.
void watchForks();

/// To be called once, by the thread that ends the interpreter, before it does: when this returns, no thread waits for
/// the lock because of this module, and none will; nor does any work without it, unless it went on for a second.
void endGil();

} // namespace heddle
