// What is known of a thread's guarded run. For the files of this folder, and for what wraps the allocator.
#pragma once

#include "support/os/guarded_run.h"
#include "support/os/held_locks.h"

#include <csetjmp>

namespace heddle::os {

class PrivateHeap;

struct RunState {
  sigjmp_buf landing;
  RunState *outer = nullptr; ///< the run that this one is nested in
  Interruption why;
  HeldLocks locks;
  PrivateHeap *heap =
      nullptr; ///< of the outermost run and all that are nested in it; null: the process's own
  bool inOnce = false; ///< it is a call_once function, for whose end other threads may wait
  void (*onceRoutine)() = nullptr; ///< what pthread_once is to run

  /// Whether others may wait for something that this thread has to end first.
  bool holdsLocks() const { return inOnce || !locks.empty() || (outer && outer->holdsLocks()); }
};

/// The calling thread's innermost run; null outside runs.
extern constinit thread_local RunState *currentRun __attribute__((tls_model("initial-exec")));

/// runGuarded for a function that others wait for; see pthread_once.
Interruption runOnceGuarded(void (*work)());

} // namespace heddle::os
