#include "bindings/interpreter/exit_status.h"

#include "support/os/threads.h"

#include <atomic>
#include <mutex>

namespace nb = nanobind;

namespace heddle {

namespace {

std::atomic<bool> failsAtExit{false};

void exitWithFailureInsteadOfSuccess(int status) {
  if (status == 0 && failsAtExit)
    os::endProcess(1);
}

/// The first call registers the handler: handlers registered before it do not run if it replaces the status.
void setFailureAtExit(bool fails) {
  failsAtExit = fails;
  static std::once_flag registered;
  std::call_once(registered, [] { os::atExitWithStatus(exitWithFailureInsteadOfSuccess); });
}

} // namespace

void bindExitStatus(nb::module_ &m) {
  m.def("fail_at_exit", &setFailureAtExit, nb::arg("fails"),
        "If fails, a process that would end with status 0 ends with status 1.");
}

} // namespace heddle
