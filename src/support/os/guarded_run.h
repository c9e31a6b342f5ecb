// Runs code that may fault, exhaust memory or abort, such as LLVM, without ending the process.
//
// A failed run is left with siglongjmp. No destructors run, and the objects that the run was changing may be
// inconsistent. Resources that would block the rest of the process are released:
//
// - Locks, function-local statics and call_once flags (held_locks.h). While a run holds a lock, allocations fall back
//   to a reserve, so that running out of memory does not leave the guarded data inconsistent. A fault may leave it
//   inconsistent.
// - The memory allocator (private_heap.h). A fault may occur inside the allocator, so each run allocates from a private
//   heap that is abandoned after a fault. This requires a wrapped malloc (src/support/allocations), which only the
//   Python extension has.
//
// Locks inside libc are not released; the compilers use neither its streams nor its dynamic loader.
#pragma once

#include <type_traits>

namespace heddle::os {

/// The reason why a run ended early.
struct Interruption {
  enum Cause { None, Fault, OutOfMemory, GaveUp };
  Cause cause = None;
  int signal = 0;      ///< for a fault: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP or SIGABRT
  char text[400] = ""; ///< for GaveUp: the message

  explicit operator bool() const { return cause != None; }
};

/// Calls `work` and returns what interrupted it, if anything. Stack overflow counts as a fault. Throws only what `work`
/// throws. Faults in other threads go to the program's handlers. Runs may be nested; a fault leaves the innermost run.
Interruption runGuarded(void (*work)(void *), void *argument);
template <class Work> Interruption runGuarded(Work &&work) {
  return runGuarded([](void *w) { (*static_cast<std::remove_reference_t<Work> *>(w))(); },
                    const_cast<void *>(static_cast<const void *>(&work)));
}

/// Keeps the fault handler installed between runs, also in forked processes (code_faults.h).
void keepFaultHandler();

/// True if the calling thread is in a guarded run.
bool inGuardedRun();
/// Leaves the calling thread's innermost run, which must exist.
[[noreturn]] void jumpOutOfGuardedRun(const Interruption &why);

} // namespace heddle::os
