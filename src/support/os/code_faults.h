// Faults in generated code: an invalid access stops the kernel, not the process. An interrupted thread
// (code_interrupts.h) leaves generated code in the same way.
#pragma once

#include <cstdint>

namespace heddle::os {

/// The address of a fault that the processor reports without one: a vector access whose address is not a multiple of its
/// size, or an address that no memory can have.
inline const void *const unreportedAddress = reinterpret_cast<const void *>(~uintptr_t(0));

/// The exit from generated code on a fault. Requires keepFaultHandler() (guarded_run.h). Both functions run in signal
/// handlers.
struct FaultExit {
  /// Jumps out of the generated code and does not return. `signal` is 0 if `interrupt` requested the exit.
  void (*leave)(void *owner, int signal, const void *address);
  void *owner;
  /// Called after interruptCode(). Returns true to leave the code. If `inCode` is false, the thread is in another
  /// function, may hold a lock, and does not leave. Null if the code cannot be interrupted.
  bool (*interrupt)(void *owner, bool inCode) = nullptr;
};

/// The exit from generated code that the calling thread runs; null if it runs other code.
extern constinit thread_local const FaultExit *faultExit __attribute__((tls_model("initial-exec")));

/// Sets faultExit while the object lives.
class FaultExitScope {
public:
  explicit FaultExitScope(const FaultExit &exit) : outer_(faultExit) { faultExit = &exit; }
  ~FaultExitScope() { faultExit = outer_; }
  FaultExitScope(const FaultExitScope &) = delete;
  FaultExitScope &operator=(const FaultExitScope &) = delete;

private:
  const FaultExit *outer_;
};

/// Registers [begin, end) as generated code. Calls must not overlap in time.
void registerCode(const void *begin, const void *end);

/// Registers the code of the library that contains `address`. The library must take no locks, because a thread may
/// leave it anywhere.
void registerLibraryCode(const void *address);

/// True for the signals of accesses to memory that is not mapped. The others are those of rejected instructions.
bool isAccessFault(int signal);

/// Called by fault handlers with their arguments. If the fault is in generated code, leaves through `faultExit`;
/// otherwise returns.
void leaveCodeOnFault(int signal, const void *information, const void *registers);

/// Called by the interrupt handler if faultExit is set. Leaves the code if `faultExit->interrupt` returns true.
void interruptCodeAt(int signal, const void *registers);

} // namespace heddle::os
