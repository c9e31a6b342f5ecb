// Runs of code that is not ours and may fault, run out of memory or give up: the process lives on.
//
// A run that does one of these is left by a jump. No destructor of its frames runs: what it was working on is in any
// state, and stays as it is. What would stop the rest of the process is given back:
//
// - locks, function-local statics and call_once flags (held_locks.h). Memory that runs out while one is held comes from
//   a reserve, so that what they guard is whole; after a fault it may not be.
// - the memory allocator (private_heap.h). A fault may come from inside it, so a run has one of its own, which nobody
//   uses again. This holds where the program's malloc is wrapped (src/support/allocations): in the Python extension.
//
// What libc locks for itself is not given back; the compilers use neither its streams nor its loader.
#pragma once

#include <type_traits>

namespace heddle::os {

/// Why a run was left.
struct Interruption {
  enum Cause { None, Fault, OutOfMemory, GaveUp };
  Cause cause = None;
  int signal = 0;      ///< of a fault: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP or SIGABRT
  char text[400] = ""; ///< what code said that gave up

  explicit operator bool() const { return cause != None; }
};

/// Calls `work`, and says what interrupted it, if anything did. A stack that is used up is a fault. Exceptions pass
/// through. Faults of other threads go to the program's own handlers. Runs may be nested; the innermost is left.
/// Throws nothing itself.
Interruption runGuarded(void (*work)(void *), void *argument);
template <class Work> Interruption runGuarded(Work &&work) {
  return runGuarded([](void *w) { (*static_cast<std::remove_reference_t<Work> *>(w))(); },
                    const_cast<void *>(static_cast<const void *>(&work)));
}

/// Keeps the handler of faults installed when no run needs it, also in processes that are forked (code_faults.h).
void keepFaultHandler();

/// Whether the calling thread is in a guarded run.
bool inGuardedRun();
/// Leaves the calling thread's innermost run, which must exist.
[[noreturn]] void leaveGuardedRun(const Interruption &why);

} // namespace heddle::os
