// Faults of code that was made while the process runs: a kernel that reads where there is no memory stops, not the process.
#pragma once

namespace heddle::os {

/// Where a fault goes that generated code runs into, once keepFaultHandler() has been called (guarded_run.h).
struct FaultExit {
  /// Does not return. It runs in a signal handler: it may jump.
  void (*leave)(void *owner, int signal, const void *address);
  void *owner;
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

/// In a handler: leaves by the thread's exit if the fault is one of generated code, which holds no lock; else returns.
/// `information` and `registers` are what the handler was given.
void leaveCode(int signal, const void *information, const void *registers);

} // namespace heddle::os
