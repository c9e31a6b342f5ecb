// Faults of code that was made while the process runs: a kernel that reads where there is no memory stops, not the process.
// An interrupt (code_interrupts.h) leaves the code in the same way.
#pragma once

namespace heddle::os {

/// Where a fault goes that generated code runs into, once keepFaultHandler() has been called (guarded_run.h). Both
/// functions run in signal handlers.
struct FaultExit {
  /// Does not return: it jumps. The signal is 0 where `interrupt` asked to leave.
  void (*leave)(void *owner, int signal, const void *address);
  void *owner;
  /// Called after interruptCode(): whether to leave the code. Unless `inCode`, the thread is in another function, may hold
  /// a lock, and stays. Null where code is not interrupted.
  bool (*interrupt)(void *owner, bool inCode) = nullptr;
};

/// The calling thread's while it runs such code; else null.
extern constinit thread_local const FaultExit *faultExit __attribute__((tls_model("initial-exec")));

/// Sets it as long as it lives.
class FaultExitScope {
public:
  explicit FaultExitScope(const FaultExit &exit) : outer_(faultExit) { faultExit = &exit; }
  ~FaultExitScope() { faultExit = outer_; }
  FaultExitScope(const FaultExitScope &) = delete;
  FaultExitScope &operator=(const FaultExitScope &) = delete;

private:
  const FaultExit *outer_;
};

/// Makes memory known that has generated code. Calls must not overlap.
void addCode(const void *begin, const void *end);

/// The same of the library that has the function at `address`: one that takes no locks, so that it may be left at any place.
void addLibraryCode(const void *address);

/// In a handler: leaves by the thread's exit if the fault is one of generated code, which holds no lock; else returns.
/// `information` and `registers` are what the handler was given.
void leaveCode(int signal, const void *information, const void *registers);

/// In a handler, where faultExit is set: asks it whether to leave, and does.
void interruptCodeAt(int signal, const void *registers);

} // namespace heddle::os
