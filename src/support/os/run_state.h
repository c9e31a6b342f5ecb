// State of a thread's guarded run, for this folder and the wrapped allocator.
#pragma once

#include "support/os/guarded_run.h"
#include "support/os/held_locks.h"

#include <csetjmp>

namespace heddle::os {

class PrivateHeap;

struct RunState {
  sigjmp_buf landing;
  RunState *outer = nullptr; ///< the enclosing run
  Interruption why;
  HeldLocks locks;
  /// Shared by the outermost run and all nested runs; null for the process heap.
  PrivateHeap *heap = nullptr;
  bool inOnce = false;             ///< executes a call_once function; other threads may wait for it
  void (*onceRoutine)() = nullptr; ///< the function to run for pthread_once

  /// True if other threads may wait for something that this thread must finish first.
  bool holdsLocks() const { return inOnce || !locks.empty() || (outer && outer->holdsLocks()); }
};

/// The calling thread's innermost run; null outside runs.
extern constinit thread_local RunState *currentRun __attribute__((tls_model("initial-exec")));

/// Like runGuarded(), for the function of a pthread_once, for which other threads may wait.
Interruption runOnceGuarded(void (*work)());

} // namespace heddle::os
