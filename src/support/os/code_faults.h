// Faults in generated code. An invalid access in a kernel stops the kernel, not the process. Interrupts
// (code_interrupts.h) leave generated code in the same way.
#pragma once

namespace heddle::os {

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

/// The calling thread's exit while it runs generated code, else null.
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

/// Registers a memory range with generated code. Calls must not overlap.
void addCode(const void *begin, const void *end);

/// Registers the library that contains `address`. The library must take no locks, because it may be left anywhere.
void addLibraryCode(const void *address);

/// Called by fault handlers with their arguments. If the fault is in generated code, which holds no locks, leaves
/// through the thread's exit; otherwise returns.
void leaveCode(int signal, const void *information, const void *registers);

/// Called by the interrupt handler if faultExit is set. Leaves the code if `faultExit->interrupt` returns true.
void interruptCodeAt(int signal, const void *registers);

} // namespace heddle::os
