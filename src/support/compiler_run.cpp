#include "support/compiler_run.h"

#include "support/diagnostic.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstring>
#include <mutex>
#include <new>
#include <string>

namespace heddle {

namespace {

/// Handles report_fatal_error. Outside a run it returns, and LLVM exits.
void leaveOnFatalError(void *, const char *reason, bool) {
  if (!os::inGuardedRun())
    return;
  os::Interruption why{os::Interruption::GaveUp};
  std::strncpy(why.text, reason, sizeof why.text - 1);
  os::jumpOutOfGuardedRun(why);
}

/// Handles failures of LLVM's own allocations; guarded runs handle `new`.
void leaveOnBadAlloc(void *, const char *, bool) {
  if (os::inGuardedRun())
    os::jumpOutOfGuardedRun({os::Interruption::OutOfMemory});
  throw std::bad_alloc(); // LLVM's frames carry unwind tables
}

} // namespace

void installLlvmErrorHandlers() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    llvm::install_fatal_error_handler(leaveOnFatalError);
    llvm::install_bad_alloc_error_handler(leaveOnBadAlloc);
  });
}

void throwInterruption(const os::Interruption &why, const char *doing, const char *afterCrash) {
  switch (why.cause) {
  case os::Interruption::OutOfMemory:
    throw CompileError(ErrorKind::Memory, std::string("out of memory while ") + doing);
  case os::Interruption::GaveUp:
    throw CompileError(ErrorKind::Internal, std::string("LLVM failed: ") + why.text);
  case os::Interruption::Fault:
  case os::Interruption::None:
    break;
  }
  throw CompileError(ErrorKind::Internal, std::string("the compiler crashed while ") + doing +
                                              " (" + strsignal(why.signal) + ")" + afterCrash);
}

} // namespace heddle
